// scenes/csrmm/skewed.h: products whose work is balanced when rows differ in length.
#pragma once

#include "scenes/csrmm/steps.h"

namespace warpscope::csrmm {

// Each has prepare steps that read only the row pointers, float4 columns where n is a multiple of
// 4, and eight gathers in flight.

// Rows by falling length.
Steps row_swizzle_steps(const Workload& w);
Buffers row_swizzle_scratch(const Workload& w);

// Rows in segments of kSegment entries and a residue; parts of one row meet in C by atomics.
inline constexpr std::int64_t kSegment = 512;
Steps row_split_steps(const Workload& w);
Buffers row_split_scratch(const Workload& w);

// Equal shares of rows and entries for every warp, and a second kernel for what crosses blocks.
std::int64_t merge_path_share(const Workload& w);  // rows and entries a warp
Steps merge_path_steps(const Workload& w);
Buffers merge_path_scratch(const Workload& w);

}  // namespace warpscope::csrmm
