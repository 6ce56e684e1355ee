// scenes/program/proposals.h: launches with their buffers and questions, from what was followed.
#pragma once

#include "scenes/program/host_state.h"
#include "scenes/program/program.h"

namespace warpscope::program {

// Adds sizes, buffers and launches to a program whose kernels are known.
void propose(HostState& state, HostProgram& program);

}  // namespace warpscope::program
