// workbench/panels/diagrams/kept_requests.h: what diagrams work out of the requests of a trace,
// once per trace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "profiling/access/trace_view.h"
#include "workbench/workspace/selection/memo.h"

namespace warpscope {

// Which block of which trace: what was worked out of it stays while all of this is the same.
struct TraceKey {
  std::string variant, key, step;
  std::int64_t job = 0, block = 0;
  std::size_t requests = 0, barrier_events = 0;
  bool operator==(const TraceKey&) const = default;
};
// What each request of a trace costs, counted once a trace.
using TraceCosts = Memo<TraceKey, std::vector<RequestCost>>;
// Small pictures of all requests of the chosen one's source line.
struct LineMultiples {
  bool shown = false;
  struct Line {
    TraceKey trace;
    std::string file;
    int line = 0;
    bool operator==(const Line&) const = default;
  };
  Memo<Line, LineRequests> found;
};

}  // namespace warpscope
