// profiling/emulator/hangs/possible_stores.h: which instructions could change a word that a loop
// waits for, and of which block.
#pragma once

#include <vector>

#include "profiling/emulator/state/worker.h"

// Addresses are computed again from what does not change while a thread runs: parameters,
// constants, indices of block and thread, and arithmetic on them. Where a value comes from memory,
// or from a register that is set in several places, the address is not known, and that is said.

namespace warpscope {

struct StorePlace {
  std::uint32_t pc = 0;
  PossibleStore store;
};
// Stores and atomics of the kernel that may touch the word of a note, but not the instruction that
// reads it. `worker` has the note's block's size and registers; `executed` is by instruction.
std::vector<StorePlace> possible_stores(const Worker& worker, const HangNote& note,
                                        const std::vector<std::int64_t>& executed);

}  // namespace warpscope
