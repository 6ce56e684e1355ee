// profiling/emulator/scheduler.h: the warps of a block in turn, to barriers and to the end.
#pragma once

#include "profiling/emulator/worker.h"

namespace warpscope {

// Allocates registers, memory and sums for a worker of a run.
void prepare_worker(Worker& worker, RunShared& run);
// Runs one block (a linear index of the grid) to its end, to the end of the budget, or until
// RunShared::stop is set. `asked` is called between slices of some ten thousand instructions.
void run_block(Worker& worker, std::int64_t block_index, const std::function<void()>& asked);

// vprintf of the lanes of warp.mask, and the text of __assertfail for one lane.
void print_lanes(Warp& warp, const Instruction& i);
std::string assertion_text(Warp& warp, const Instruction& i, int lane);

}  // namespace warpscope
