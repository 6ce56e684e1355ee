// profiling/emulator/ptx/uniformity.h: which registers of PTX can differ between the lanes of a
// warp.
#pragma once

#include <string_view>
#include <unordered_set>

#include "profiling/emulator/ptx/module.h"

// ptxas adds the lanes of a warp up before an atomic when it knows that they all have one address.
// What it knows was found by compiling a kernel for each case with ptxas 13.0 for sm_90 and reading
// its machine code: parameters, indices of the block, constants, votes, reductions over the warp,
// shuffles from a lane that is the same for all, and loads from addresses that are the same for all
// are the same in all lanes; threadIdx, the lane, results of atomics and of barriers that count
// are not, and neither is what a register holds whose definitions stand where lanes have parted.

namespace warpscope {

// Names of a function's registers that may differ between lanes. Loads of local memory count among
// them: ptxas sometimes knows better.
std::unordered_set<std::string_view> lane_dependent_registers(const PtxModule& module,
                                                              const PtxFunction& function);

}  // namespace warpscope
