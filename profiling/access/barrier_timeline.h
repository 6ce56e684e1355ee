// profiling/access/barrier_timeline.h: arrivals and waits at barriers as columns of program order.
#pragma once

#include <cstdint>
#include <vector>

#include "profiling/access/trace.h"

// Columns are not times. A warp's marks are in its program order, at least one column apart. A wait
// for a phase is to the right of everything that the phase waits for. Every mark is as far left as
// these rules allow.

namespace warpscope {

struct TimelineMark {
  std::uint32_t warp = 0, barrier = 0;
  std::int64_t phase = 0;
  bool arrives = false, copies = false, waits = false;  // copies: asks for them, or expects bytes
  int column = 0;
  int line = 0;
  int events = 1;  // that stand in this mark
  int after = -1;  // of one that waits: the last mark that ended the phase; −1: none is known
};

struct BarrierTimeline {
  std::vector<TimelineMark> marks;  // by warp's order, as they happened
  int columns = 0;
  bool cut = false;  // events beyond those that were kept are missing
};

BarrierTimeline barrier_timeline(const Trace& trace);

}  // namespace warpscope
