// scenes/csrmm/inputs/drawn_structure.h: the rows and columns of A by distribution.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scenes/base/scene.h"

namespace warpscope::csrmm {

struct Csr {
  std::vector<std::int32_t> indptr, indices;
};

// The columns that a row may draw from.
struct ColumnSpan {
  std::int64_t first = 0, count = 0;
};

// Row lengths summed into indptr. error: more entries than 32-bit row pointers hold.
Result<std::vector<std::int32_t>> row_pointers(const std::vector<std::int64_t>& lengths);

// The lengths of all rows, of every distribution but rmat and file.
std::vector<std::int64_t> row_lengths(const Configuration& axes);

// The columns of the entries from `first` on, each of `span`.
void draw_columns(const Configuration& axes, const ColumnSpan& span, std::int64_t first,
                  std::span<std::int32_t> columns);

// Rows of such lengths with drawn columns, of every distribution but rmat and file.
Result<Csr> drawn_rows(const Configuration& axes);

// source: R-MAT, Chakrabarti et al., SDM 2004, with (.57, .19, .19, .05) on the next power of two;
// draws outside m × k are rejected.
Result<Csr> rmat(const Configuration& axes);

// Draws again, from the columns that a row may use, until no row has a column twice.
void make_unique(const Configuration& axes, Csr& csr);

void sort_rows(Csr& csr);

}  // namespace warpscope::csrmm
