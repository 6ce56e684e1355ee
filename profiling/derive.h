// profiling/derive.h: figures that follow from measured ones and from the work model.
#pragma once

#include "profiling/measurement.h"

namespace warpscope {

// Adds to measurement.metrics: times from the timings, conditions, the scene's work model at this
// workload, rates per level, hit rates, occupancy. A figure that cannot be made is there with its
// reason. Values already present are replaced.
void derive_metrics(Measurement& measurement);

}  // namespace warpscope
