// profiling/emulator/run/arms.h: how paths of a warp diverge, reconverge, wait and end.
#pragma once

#include "profiling/emulator/state/worker.h"

namespace warpscope {

// Where a path is, or goes on after an instruction that may change that.
struct ArmPlace {
  std::uint32_t pc = 0;
  std::uint32_t lanes = 0;  // none: it does not go on now; they wait, have met others, or ended
};

// A branch that only the lanes of `mask` take.
ArmPlace part(Warp& w, Arm& arm, const Instruction& i, ArmPlace at, std::uint32_t mask);
// The path has come to the join of its reconvergence point.
ArmPlace meet(Warp& w, Arm& arm, ArmPlace at);
// Any instruction but an ordinary one, a branch and a join. `mask`: the lanes whose guard holds.
ArmPlace run_apart(Worker& worker, Warp& w, Arm& arm, const Instruction& i, ArmPlace at,
                   std::uint32_t mask);

// Puts the lanes of a path aside, at an instruction.
void park(Worker& worker, Warp& w, Arm& arm, ArmPlace at, ArmState state);

// A wgmma.mma_async: the warp waits there for the others of its warpgroup. wgmma.wait_group.
ArmPlace come_to_product(Worker& worker, Warp& w, Arm& arm, const Instruction& i, ArmPlace at,
                         std::uint32_t mask);
ArmPlace come_to_product_wait(Worker& worker, Warp& w, Arm& arm, const Instruction& i, ArmPlace at);
// Lets warps go on that wait for one of their warpgroup which has ended. False when none did.
bool release_warpgroups(Worker& worker);
// A path that waits at a product, for the sentence about a hang.
void note_warpgroup_wait(Worker& worker, Warp& w, const Arm& arm);

// Notes the lanes at barriers of the block that came without others which are elsewhere.
void note_divergent_parts(Worker& worker);
// Completes barriers that have all the threads they wait for. False when none was.
bool release_barriers(Worker& worker);

}  // namespace warpscope
