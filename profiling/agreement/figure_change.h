// profiling/agreement/figure_change.h: whether a metric of two points differs beyond the noise.
#pragma once

#include <string>

#include "profiling/figures/noise.h"
#include "profiling/points/measurement.h"

namespace warpscope {

// Whether the metric is a time or a rate over one.
bool follows_from_time(const std::string& metric);

// The rule of figures/noise.h with the timing that the metric follows from: time.cold from the cold
// samples, time.warm and rate.* from the warm ones. Other times (prepare, graph replay, break-even)
// keep no samples. `baseline` and `candidate` are the metric's values at the two points.
ChangeVerdict judge_change(const std::string& metric, const Measurement& baseline_point,
                           double baseline, const Measurement& candidate_point, double candidate);

}  // namespace warpscope
