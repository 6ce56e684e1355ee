// profiling/agreement/figure_change.cpp: whether a metric of two points differs beyond the noise.
// noise.
#include "profiling/agreement/figure_change.h"

namespace warpscope {

bool follows_from_time(const std::string& metric) {
  return metric.starts_with("time.") || metric.starts_with("rate.");
}

ChangeVerdict judge_change(const std::string& metric, const Measurement& baseline_point,
                           double baseline, const Measurement& candidate_point, double candidate) {
  const bool rate = metric.starts_with("rate.");
  if (!follows_from_time(metric)) return judge_counts(baseline, candidate);
  if (!rate && metric != "time.cold" && metric != "time.warm")
    return {Significance::unknown, "its noise is unknown: it has no samples"};
  const bool cold = metric == "time.cold";
  const std::optional<Timing>& before = cold ? baseline_point.cold : baseline_point.warm;
  const std::optional<Timing>& now = cold ? candidate_point.cold : candidate_point.warm;
  if (!before || !now) return {Significance::unknown, "its noise is unknown: there are no samples"};
  return judge_times({baseline, *before, baseline_point.conditions.toolkit, rate},
                     {candidate, *now, candidate_point.conditions.toolkit, rate});
}

}  // namespace warpscope
