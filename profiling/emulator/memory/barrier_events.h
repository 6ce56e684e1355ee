// profiling/emulator/memory/barrier_events.h: notes what the warps of the traced block do at
// barriers.
#pragma once

#include "profiling/emulator/state/worker.h"

// Called for warps that are recorded alone, so that others pay nothing.

namespace warpscope {

// `lanes` at a barrier of the block, by its number.
void note_block_barrier_event(Warp& warp, const Instruction& i, BarrierMark mark, std::uint32_t id,
                              std::uint32_t lanes);
// A lane at an mbarrier, by its index in AsyncBarriers, in the running phase or one `phases` later.
void note_mbarrier_event(Warp& warp, const Instruction& i, BarrierMark mark, int barrier, int lane,
                         std::int64_t phases = 0);

// "full[1]", "shared byte 2048": what an mbarrier at a byte of shared memory is called.
std::string mbarrier_name(const Worker& worker, std::int64_t offset);
// A variable's own name, of one inside a function too: "lock" of "_ZZ1kE4lock".
std::string plain_name(const std::string& symbol);

}  // namespace warpscope
