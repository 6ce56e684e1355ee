// profiling/engine/run/emulated/other_steps.h: steps of an emulated run that are not kernels.
#pragma once

#include "profiling/engine/run/emulated/buffers.h"
#include "profiling/engine/run/emulated/programs.h"

namespace warpscope {

// Sets, copies, constants, and functions of the host. error: what the step says, resource.
Result<void> run_without_kernel(EmulatedBuffers& buffers, EmulatedPrograms& programs,
                                const Step& step);

}  // namespace warpscope
