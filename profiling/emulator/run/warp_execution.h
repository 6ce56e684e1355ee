// profiling/emulator/run/warp_execution.h: runs one path of a warp from an instruction to where it
// must wait.
#pragma once

#include "profiling/emulator/state/worker.h"

namespace warpscope {

// Instructions after which another path or warp gets its turn, so that spinning ones end.
inline constexpr std::int64_t kSliceInstructions = 20'000;

// Runs the last ready path of a warp until it ends, waits, reconverges with others, repeats itself,
// or has used up its slice. False if the warp has no ready path except those that repeat
// themselves.
bool run_ready_arm(Worker& worker, Warp& warp);

}  // namespace warpscope
