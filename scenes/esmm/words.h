// scenes/esmm/words.h: kernels that pass K by pattern words, 32 k at a time.
#pragma once

#include <string>
#include <vector>

#include "scenes/base/scene.h"
#include "scenes/esmm/steps.h"

// Buffers of theirs: a_words [⌈M/32⌉][⌈K/32⌉] and b_words [⌈N/32⌉][⌈K/32⌉] have a bit for every k
// of 32 rows or columns. Every size runs.

namespace warpscope::esmm {

std::vector<Axis> word_axes();

// Both operands in one launch where they belong to one phase.
Steps word_pattern_steps(const Workload& w);
Buffers word_patterns(const Workload& w);

// joint_bk32 and joint_rows, by the name of their file and entry.
Steps staged_steps(const Workload& w, const std::string& kernel);
Steps persist_steps(const Workload& w);
Buffers persist_scratch(const Workload& w);
Steps joint_vec_steps(const Workload& w);
Steps bf16_wgmma_steps(const Workload& w);
Buffers bf16_wgmma_scratch(const Workload& w);
Steps tf32_wgmma_steps(const Workload& w);

// A block's rows and columns of C.
inline constexpr std::int64_t kStagedRows = 64, kStagedColumns = 128;
inline constexpr std::int64_t kWgmmaRows = 64, kWgmmaColumns = 128;
inline constexpr std::int64_t kBf16Rows = 128, kBf16Columns = 128;

}  // namespace warpscope::esmm
