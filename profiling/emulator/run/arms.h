// profiling/emulator/run/arms.h: how the arms of a warp part, meet, wait and end.
#pragma once

#include "profiling/emulator/state/worker.h"

namespace warpscope {

// Where an arm is, or goes on after an instruction that may change that.
struct ArmPlace {
  std::uint32_t pc = 0;
  std::uint32_t lanes = 0;  // none: it does not go on now; they wait, have met others, or ended
};

// A branch that only the lanes of `mask` take.
ArmPlace part(Warp& w, Arm& arm, const Instruction& i, ArmPlace at, std::uint32_t mask);
// The join that the arm's meeting is at.
ArmPlace meet(Warp& w, Arm& arm, ArmPlace at);
// Any instruction but an ordinary one, a branch and a join. `mask`: the lanes whose guard holds.
ArmPlace run_apart(Worker& worker, Warp& w, Arm& arm, const Instruction& i, ArmPlace at,
                   std::uint32_t mask);

// Completes barriers that have all the threads they wait for. False when none was.
bool release_barriers(Worker& worker);

}  // namespace warpscope
