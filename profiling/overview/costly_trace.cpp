// profiling/overview/costly_trace.cpp: which step of several a diagram opens with.
#include "profiling/overview/costly_trace.h"

#include <algorithm>

#include "profiling/overview/costly_line.h"

namespace warpscope {

const Trace* costly_trace(const Session& session, const PointId& id) {
  const std::vector<const Trace*> traces = session.traces(id);
  if (traces.empty()) return nullptr;
  if (const Measurement* point = session.latest(id); point != nullptr && traces.size() > 1) {
    const StepRecord* longest = costly_step(*point);
    for (const Trace* trace : traces) {
      if (longest != nullptr && longest->time_ns && trace->step == longest->name) return trace;
    }
  }
  return *std::max_element(traces.begin(), traces.end(), [](const Trace* a, const Trace* b) {
    return a->warp_instructions < b->warp_instructions;
  });
}

}  // namespace warpscope
