// scenes/csrmm/steps/library_steps.h: what library rows of csrmm run, and the forms of A they
// prepare.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "scenes/csrmm/steps/steps.h"

namespace warpscope::csrmm {

// Libraries know no shared weight: for homogeneous weights a prepare step expands it.
Buffers expanded_weights_scratch(const Workload& w);
Steps cusparse_steps(const Workload& w, const std::string& call);
Steps cusparse_csc_steps(const Workload& w);
Buffers cusparse_csc_scratch(const Workload& w);
// The row of every entry is a prepare step.
Steps cusparse_coo_steps(const Workload& w);
Buffers cusparse_coo_scratch(const Workload& w);
Steps cublas_steps(const Workload& w, const std::string& call);
Buffers cublas_scratch(const Workload& w);
// A is rounded to bfloat16 once, B in the call.
Steps cublas_bf16_steps(const Workload& w);
Buffers cublas_bf16_scratch(const Workload& w);

// Why A has no square tiles of kTile that a library could multiply as a whole. No value if it has:
// diagonal blocks, and a number of rows, that are multiples of a tile.
inline constexpr std::int64_t kTile = 16;
std::optional<std::string> has_no_tiles(const Workload& w);
Steps cusparse_bsr_steps(const Workload& w);
Buffers cusparse_bsr_scratch(const Workload& w);
Steps cusparse_blocked_ell_steps(const Workload& w);
Buffers cusparse_blocked_ell_scratch(const Workload& w);

}  // namespace warpscope::csrmm
