// scenes/esmm/inputs/matrix_files.h: A and B from files: .npy, Matrix Market, and raw f32.
#pragma once

#include <cstdint>
#include <vector>

#include "scenes/base/scene.h"
#include "scenes/esmm/inputs/operands.h"

// The ending of a name says what a file is: .npy, .mtx, and anything else raw f32 of a typed shape,
// little-endian and row-major. Sparse files become dense; entries that a file names twice add up.

namespace warpscope::esmm {

struct FileMatrix {
  std::int64_t rows = 0, columns = 0;
  std::vector<float> values;  // row-major
  std::int64_t inexact = 0;   // numbers that f32 does not hold exactly
};

// Writes the sizes that files decide over the typed ones, made whole tiles where `pad` is on.
// error: input, environment; A's columns are not B's rows.
Result<Configuration> settle(const Configuration& axes);

// All of the operand's file, with zeros where it is smaller than the operand. error: input.
Result<FileMatrix> load_matrix(const Operand& operand);

}  // namespace warpscope::esmm
