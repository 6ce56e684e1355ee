// scenes/csrmm/steps/compressed.h: products that squeeze the zeros out of B before they gather it.
#pragma once

#include "scenes/csrmm/steps/steps.h"

namespace warpscope::csrmm {

inline constexpr std::int64_t kStripColumns = 128;  // that a warp owns; as in compressed_b.cuh

// `granule` columns (1, 2 or 4) are kept or dropped together. Both ops; T gathers on the CSC
// arrays, which are prepared; B is compacted in every run.
Steps compressed_gather_steps(const Workload& w, std::int64_t granule);
// shape: masks u32[rows of B, strips, 4 / granule], packed_b f32[rows of B, strips, 128], and the
// CSC arrays for op T.
Buffers compressed_gather_scratch(const Workload& w, std::int64_t granule);

}  // namespace warpscope::csrmm
