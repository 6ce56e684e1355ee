// profiling/engine/measure/samples/step_samples.h: where the warps of a bound variant's kernels
// wait, step by step.
#pragma once

#include "profiling/engine/measure/measuring_tools.h"
#include "profiling/engine/run/job_channel.h"
#include "profiling/engine/run/stage.h"

namespace warpscope {

// Samples of the run's kernels into their step records, or why there are none. error: fault,
// environment, usage ("cancelled").
Result<void> sample_steps(MeasuringTools& tools, Stage& stage, const Job& job,
                          const JobChannel& channel, Stage::Bound& bound, Measurement& m);

}  // namespace warpscope
