// profiling/engine/measure/warps/step_warps.h: what the warps of a bound variant's kernels do and
// when, step by step.
#pragma once

#include "profiling/engine/measure/measuring_tools.h"
#include "profiling/engine/run/job_channel.h"
#include "profiling/engine/run/stage.h"

namespace warpscope {

// Sends a WarpTimeline for each kernel of the run that the job asks for. Probes that make a kernel
// too slow are dropped, and the kernel is measured again. error: usage, there is no such step, or
// what with_probes reports; environment; fault; usage ("cancelled").
Result<void> record_warps(MeasuringTools& tools, Stage& stage, const Job& job,
                          const JobChannel& channel, Stage::Bound& bound, const Measurement& m);

}  // namespace warpscope
