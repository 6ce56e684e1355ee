// scenes/csrmm/steps/skewed.h: products whose work is balanced when rows differ in length.
#pragma once

#include "scenes/csrmm/steps/steps.h"

namespace warpscope::csrmm {

// Each has prepare steps that read only the row pointers, lanes that own 16 bytes of a row where n
// allows, and eight gathers in flight. Those that add parts of rows are for f32.

// Rows by falling length.
Steps row_swizzle_steps(const Workload& w);
Buffers row_swizzle_scratch(const Workload& w);

// Rows in segments of kSegment entries and a residue; parts of one row meet in C by atomics.
inline constexpr std::int64_t kSegment = 512;
Steps row_split_steps(const Workload& w);
Buffers row_split_scratch(const Workload& w);

// Equal shares of rows and entries for every warp, and a second kernel for what crosses blocks.
std::int64_t merge_path_share(const Workload& w);  // rows and entries per warp
Steps merge_path_steps(const Workload& w);
Buffers merge_path_scratch(const Workload& w);

}  // namespace warpscope::csrmm
