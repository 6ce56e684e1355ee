// scenes/esmm/inputs/operands.h: the elements of A and B: where zeros lie, and the values between
// them.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "scenes/base/scene.h"

// Every element is a function of its index and the random seed, so operands of gigabytes are made
// page by page as they are read. The axes a_zeros and b_zeros choose the rule that places the
// zeros.

namespace warpscope::esmm {

struct Operand {
  std::string name;          // "a"
  bool k_along_rows = true;  // A: k is the column of an element; B: its row
  std::int64_t rows = 0, columns = 0;
  std::string zeros;            // the rule: "blockwise"
  double density = 1;           // the chance that a bit, an element or a block is kept
  std::int64_t bit_group = 32;  // rows of A, or columns of B, that share a random bit
  std::string pattern;          // of eight k, or of eight n: "11110000"
  std::int64_t band = 0;        // elements beside the diagonal that are kept
  bool normal = false;          // values of N(0, 1), else of the origin's law
  std::uint64_t seed = 0;
  // Where `zeros` is "file".
  std::string file;
  std::int64_t raw_rows = 0, raw_columns = 0;  // of a raw file
  std::string complex_as;                      // of a Matrix Market file

  bool drawn() const { return zeros != "file"; }
  std::int64_t elements() const { return rows * columns; }
};
Operand operand_a(const Configuration& axes);
Operand operand_b(const Configuration& axes);
Operand operand_of(const Configuration& axes, const std::string& array);  // "a" or "b"

bool from_file(const Configuration& axes, const std::string& array);

// The elements from `first` on, of an operand that is drawn.
void draw(const Operand& operand, std::int64_t first, std::span<float> to);

// Elements for InputGroup::elements, and whether they are drawn (InputGroup::by_index).
void make_elements(const Workload& w, const std::string& array, std::int64_t first,
                   std::span<std::byte> bytes);
bool is_drawn(const Workload& w, const std::string& array);

// Reads A, or B, where a file holds it; what is drawn is left to make_elements. Facts a_inexact,
// b_inexact: numbers of the file that f32 does not hold exactly. error: input.
Result<void> generate_a(const Configuration& axes, Inputs& inputs, Facts& facts);
Result<void> generate_b(const Configuration& axes, Inputs& inputs, Facts& facts);

}  // namespace warpscope::esmm
