// profiling/emulator/run/sampled_sums.h: sums by block and by stratum, where a part of a grid is
// run.
#pragma once

#include <string>
#include <vector>

#include "profiling/emulator/run/block_sample.h"
#include "profiling/emulator/state/worker.h"

namespace warpscope {

// Around each turn of a block of that stratum.
void before_sampled_turn(Worker& worker);
void after_sampled_turn(Worker& worker, std::size_t stratum);
// Puts what all workers did, scaled to the grid, into the first; the others have none.
void scale_to_grid(std::vector<Worker>& workers, const BlockSample& sample);
// Why the blocks that ran do not stand for the grid; empty: they do.
std::string unfit_reason(const std::vector<Worker>& workers);

}  // namespace warpscope
