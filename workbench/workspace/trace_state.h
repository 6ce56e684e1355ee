// workbench/workspace/trace_state.h: which trace diagrams show, and how fresh it is.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiling/access/trace_view.h"
#include "workbench/workspace/session_view.h"

namespace warpscope {

struct TraceState {
  Freshness freshness = Freshness::nothing;
  const Trace* trace =
      nullptr;            // at the selection, else (stale, pending) the last one of the variant
  std::string why_stale;  // what is other than what was asked for
  std::string progress;   // of the emulation under way, where it says
  std::optional<Error> failure;  // why the last emulation asked for gave no trace
};
TraceState trace_state(const SessionView& view, const std::string& variant);
// The same of a pinned point, wherever the selection is: its newest trace, of the chosen step where
// it has one of that.
TraceState trace_state(const SessionView& view, const PinnedPoint& pin);
// The one of the traces of A and B whose requests are stepped through. A trace that uses the memory
// of `family` comes first; then the focus's trace if it is one of them, else A's, else B's. Null:
// neither has a trace.
const Trace* leading_trace(const SessionView& view, RequestFamily family);
// The trace that keys step through: the leading one if the last frame showed A and B, else the
// focus's. Null: there is none.
const Trace* stepped_trace(const SessionView& view);
// The counters that are shown beside a trace. Counters of an earlier source, or of another source
// than the trace's, have no value: each says why, as does `why_none`.
std::vector<MetricValue> counters_of(const SessionView& view, const Trace& trace,
                                     std::string* why_none = nullptr);
// The counters by line and instruction beside it; null: there are none, or they are of another text
// or source than the trace.
const LineCounters* line_counters_of(const SessionView& view, const Trace& trace);
// The steps of the variant that have a trace at the same key as `trace`, in the order they came.
std::vector<std::string> traced_steps(const Session& session, const Trace& trace);

}  // namespace warpscope
