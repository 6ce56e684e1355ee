// scenes/deform/steps.h: what each kernel of `deform` runs: sources, defines, grids, arguments.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scenes/base/scene.h"

// Every function gives the steps of one technique at one workload.

namespace warpscope::deform {

using Steps = std::vector<Step>;
using Buffers = std::vector<BufferSpec>;

// A kernel whose entry is named like its source, with the constants and the parameters of
// kernels/deform/levels.cuh, of so many threads in blocks of the axis block_size.
KernelLaunch kernel_of(const Workload& w, const std::string& technique, std::int64_t threads);
// Of a thread for every eight channels of a query and head.
KernelLaunch kernel_of_lanes(const Workload& w, const std::string& technique);

Steps runtime_point_loop_steps(const Workload& w);
Steps interleaved_steps(const Workload& w);

}  // namespace warpscope::deform
