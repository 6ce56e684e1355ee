// scenes/led/constraints.h: where led's variants cannot run, and what mends it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "scenes/base/scene.h"

namespace warpscope::led {

// Why a variant cannot run here. No value: it can.
using Violation = std::optional<std::string>;

Constraint lanes_own_rows();
Constraint quads_aligned();
Constraint shared_bytes_fit(std::int64_t (*bytes)(const Workload&));
Constraint frames_fit_grid_z();
Constraint blocks_fit_the_seeds_array();  // where the side is known at run time
Constraint listed_copies_know_no_side();  // they have it as an argument
Constraint bulk_tensor_copies();
Constraint frame_rows_aligned();
Constraint byte_sums_fit_32_bits();
Constraint pattern_rows_aligned();
// `who_needs` begins the sentence: "dense Aᵀ needs".
Constraint memory_fits(const std::string& who_needs, std::int64_t (*bytes)(const Workload&));

}  // namespace warpscope::led
