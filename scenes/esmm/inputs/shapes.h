// scenes/esmm/inputs/shapes.h: the sizes that follow from the axes of `esmm`.
#pragma once

#include <cstdint>
#include <string>

#include "scenes/base/axis.h"
#include "scenes/base/kernel_parts.h"

// C[m, n] = A[m, k] · B[k, n], row-major f32. A pattern byte stands for eight k and a group of rows
// of A or of columns of B; bit j is of k = 8 · block + j.

namespace warpscope::esmm {

inline constexpr std::int64_t kValueBytes = 4;  // f32
inline constexpr std::int64_t kByteSteps = 8;   // k of a pattern byte
inline constexpr std::int64_t kGroup = 32;      // rows, or columns, that share a byte unless said

struct Shape {
  std::int64_t m = 0, n = 0, k = 0;
  std::int64_t a_elements() const { return m * k; }
  std::int64_t b_elements() const { return k * n; }
  std::int64_t outputs() const { return m * n; }
  std::int64_t k_blocks() const { return ceil_divide(k, kByteSteps); }
};
Shape shape_of(const Configuration& axes);

// Whether patterns of A, or of B, are made before the time begins: see the axis `preprocessing`.
bool a_prepared(const Configuration& axes);
bool b_prepared(const Configuration& axes);
// Products that share one preparation of B that belongs to the call: 1, each makes its own.
std::int64_t products_a_preparation(const Configuration& axes);
// Whether exhibits that compute something wrong are shown.
bool shows_broken(const Configuration& axes);

}  // namespace warpscope::esmm
