// scenes/csrmm/inputs/operand_values.h: the numbers of A and B.
#pragma once

#include <cstdint>
#include <span>

#include "scenes/base/scene.h"

namespace warpscope::csrmm {

void make_weights(const Configuration& axes, std::int64_t first, std::span<std::byte> bytes);

// Returns how many elements are not zero.
std::int64_t make_b(const Configuration& axes, std::int64_t first, std::span<std::byte> bytes);

// Whether weights are those of the matrix's file.
bool weights_of_file(const Configuration& axes, const Facts& facts);

}  // namespace warpscope::csrmm
