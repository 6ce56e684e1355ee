// profiling/stalls/stall_points.cpp: the samples that a session has of an emulated kernel.
#include "profiling/stalls/stall_points.h"

namespace warpscope {

const StepRecord* step_of(const Measurement* point, const Trace& trace) {
  if (point == nullptr) return nullptr;
  for (const StepRecord& step : point->steps) {
    if (step.name == trace.step && step.kind == "kernel") return &step;
  }
  return nullptr;
}

const Measurement* sampled_point(const Session& session, const Trace& trace) {
  const Measurement* found = nullptr;
  for (const Measurement* point : session.points_at(trace.scene, trace.variant, trace.key)) {
    const StepRecord* const step = step_of(point, trace);
    if (found == nullptr || (step != nullptr && step->samples.runs > 0)) found = point;
  }
  return found;
}

Result<StallReport> sampled_report(const Session& session, const Trace& trace) {
  const std::string where = trace.scene + "/" + trace.variant + " at " + trace.key;
  const Measurement* const point = sampled_point(session, trace);
  if (point == nullptr)
    return failure(ErrorKind::environment, "there are no samples of this point", where,
                   "take them with `warpscope stalls " + trace.scene + "/" + trace.variant +
                       " --session F` on a machine with a GPU, or give --modelled");
  if (!has_figures(point->verdict.outcome))
    return failure(ErrorKind::environment, "it was not sampled: " + point->verdict.sentence, where,
                   point->verdict.remedy);
  const StepRecord* const step = step_of(point, trace);
  if (step == nullptr)
    return failure(ErrorKind::environment, "the point has no step " + trace.step, where,
                   "take samples of the variant as it is now");
  return stall_report({trace, &step->samples, point, step});
}

}  // namespace warpscope
