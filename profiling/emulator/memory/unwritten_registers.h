// profiling/emulator/memory/unwritten_registers.h: registers of machine code that hold what nobody
// wrote, from their load to where they matter.
#pragma once

#include <cstdint>

#include "profiling/emulator/state/warp.h"

// ptxas makes one load of several, and widens loads: what a register gets is often not used. It
// also loads and compares before the test that says whether the value is there. So a load of
// machine code is not a fault by itself. It marks the register, lane by lane, and results that are
// made of marked registers are marked too. The fault is the load's, and is noted where
//   - an address is made of the value,
//   - the value goes to memory, to other lanes or into a product of matrices,
//   - it decides where lanes go.
// A predicate that is marked matters where its two values give different results.

namespace warpscope {

// Where a lane's element was loaded from.
struct UnwrittenPlace {
  AddressSpace space = AddressSpace::shared;
  const MemoryBuffer* buffer = nullptr;  // in global memory
  std::int64_t byte = 0;                 // of the buffer or the space
};
// Marks the register of an element that a load (UndefinedUse::mark) fills.
void mark_unwritten(Warp& warp, const Instruction& i, int element, int lane,
                    const UnwrittenPlace& place);

// Before each first part of an instruction (Instruction::begins) while there are marks. `lanes`:
// those that come to the instruction, `mask`: those whose guard holds.
void look_at_unwritten(Warp& warp, const Instruction& i, std::uint32_t lanes, std::uint32_t mask);

}  // namespace warpscope
