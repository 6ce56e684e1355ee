// profiling/emulator/memory/undefined_values.h: values that nobody wrote, from their load to
// where they matter.
#pragma once

#include <cstdint>

#include "profiling/emulator/state/warp.h"

namespace warpscope {

// Loads of guarded registers (ptx/guarded_registers.h) note in Warp::undefined what nobody wrote,
// in place of a fault. Before each instruction from there on: follows such values through
// comparisons, `and`, `or` and `not`, and notes the fault of the load where one decides what is run
// or is chosen. `lanes`: those that come to the instruction, `mask`: those whose guard holds.
void look_at_undefined(Warp& warp, const Instruction& i, std::uint32_t lanes, std::uint32_t mask);

}  // namespace warpscope
