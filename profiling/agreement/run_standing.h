// profiling/agreement/run_standing.h: what the verdict of a run says at a configuration that nobody
// chose.
#pragma once

#include "profiling/points/measurement.h"
#include "scenes/base/scene.h"

namespace warpscope {

enum class RunStanding {
  correct,       // its figures can be compared
  not_run,       // it cannot run there, or has nothing to do
  as_stated,     // it fails, and the scene says that it does there
  launch_fails,  // its launch fails, and what the compiler says of its kernels foretells that
  wrong,         // anything else; also a launch that is refused although its kernels would fit
};
const char* to_text(RunStanding standing);

// `workload`: that of the variant at the point. `device`: the limits of the device that ran it.
RunStanding standing_of(const Variant& variant, const Workload& workload, const Measurement& point,
                        const DeviceLimits& device);

}  // namespace warpscope
