// scenes/csrmm/steps/staged.h: products that keep part of their operands in shared memory, and a
// row queue.
#pragma once

#include "scenes/csrmm/steps/steps.h"

namespace warpscope::csrmm {

// Four columns of B in shared memory, 16·k bytes per block. n must be a multiple of 4.
Steps column_slab_steps(const Workload& w);
// Blocks that share the rows of A for one slab: enough that every multiprocessor has a block.
std::int64_t column_slab_parts(const Workload& w);

// `columns` (1 or 4) columns of C in shared memory, 4·columns·k bytes per block.
Steps t_slab_steps(const Workload& w, std::int64_t columns);

// Indices and weights staged in shared memory, `coarsen` columns per lane.
Steps row_cache_steps(const Workload& w, std::int64_t coarsen);

// Blocks that stay and take rows from a queue.
Steps row_queue_steps(const Workload& w);
Buffers row_queue_scratch(const Workload& w);

}  // namespace warpscope::csrmm
