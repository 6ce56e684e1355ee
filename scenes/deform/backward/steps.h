// scenes/deform/backward/steps.h: what each variant runs: sources, defines, grids, arguments.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scenes/base/kernel_parts.h"
#include "scenes/base/scene.h"

namespace warpscope::deform_backward {

using Steps = std::vector<Step>;

// Every variant first clears grad_value, to which its kernels add.

// One block per query and head. tree: how parts are added up in shared memory.
Steps block_per_query_steps(const Workload& w, bool tree);
// One warp per query and head.
Steps warp_per_query_steps(const Workload& w);
// A lane for every four channels; source and entry have the variant's name.
Steps quads_steps(const Workload& w, const std::string& technique);
// A counting sort of the samples by cell, then a warp for up to `chunk` samples of one cell.
Steps sorted_cells_steps(const Workload& w);
std::vector<BufferSpec> sorted_cells_scratch(const Workload& w);
// The same with counts of `parts` parts of an image's queries in shared memory.
Steps sorted_parts_steps(const Workload& w);
std::vector<BufferSpec> sorted_parts_scratch(const Workload& w);
// A block sorts and adds up the samples of `tile` queries.
Steps sorted_tiles_steps(const Workload& w);
std::vector<BufferSpec> sorted_tiles_scratch(const Workload& w);
// Shared memory of a block in the last two: a count per pixel of an image.
std::int64_t count_bytes(const Workload& w);

}  // namespace warpscope::deform_backward
