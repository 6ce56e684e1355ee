// profiling/emulator/run/warp_execution.h: one arm of a warp from an instruction to where it must
// wait.
#pragma once

#include "profiling/emulator/state/worker.h"

namespace warpscope {

// Instructions after which another arm or warp gets its turn, so that spinning ones end.
inline constexpr std::int64_t kSliceInstructions = 20'000;

// Runs the last ready arm of a warp until it ends, waits, meets others, repeats itself, or
// used up its slice. False when the warp has no ready arm but those that repeat themselves.
bool run_ready_arm(Worker& worker, Warp& warp);

}  // namespace warpscope
