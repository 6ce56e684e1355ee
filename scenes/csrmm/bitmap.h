// scenes/csrmm/bitmap.h: A as a bitmap on tensor cores, B in one to three bf16 terms.
#pragma once

#include "scenes/csrmm/steps/steps.h"

namespace warpscope::csrmm {

// The bitmap is prepared; B is split in every run. Weights must be homogeneous and A without
// duplicates.
Steps bitmap_steps(const Workload& w, std::int64_t terms);
// shape: bitmap u32[m, words], fragments u32[k tiles, n tiles, terms, 32, 2].
Buffers bitmap_scratch(const Workload& w, std::int64_t terms);

}  // namespace warpscope::csrmm
