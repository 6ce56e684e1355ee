// scenes/base/csr_fill.h: sparse matrices in compressed rows as fills of a launch's buffers.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "scenes/host/result.h"

// Three buffers with the same numbers are one matrix:
//
//   i32[]:csr indptr rows=1000 columns=500 density=0.1 seed=7
//   i32[]:csr indices rows=1000 columns=500 density=0.1 seed=7
//   f32[]:csr values rows=1000 columns=500 density=0.1 seed=7

namespace warpscope {

// Each element is there with probability `density`. Columns rise within a row.
struct CsrPattern {
  std::vector<std::int64_t> row_begins;  // one more than there are rows
  std::vector<std::int32_t> columns;
};
struct CsrNumbers {
  std::int64_t rows = 0, columns = 0;
  double density = 0;
  std::uint64_t seed = 1;
};
// error: usage: no rows or columns, a density that is not from 0 to 1, more than 2^26 elements.
Result<CsrPattern> csr_pattern(const CsrNumbers& numbers);

struct CsrFill {
  enum class Part { row_begins, columns, values };
  Part part = Part::values;
  std::uint64_t seed = 1;
  std::shared_ptr<const CsrPattern> pattern;
};
// Elements that the part has.
std::int64_t count_of(const CsrFill& fill);
// Row begins and columns as they are; values in [0, 1), whole ones from 1 to 9.
double element_of(const CsrFill& fill, std::int64_t i, bool whole);

// "csr indptr rows=1000 columns=500 density=0.1 seed=7". error: usage.
Result<CsrFill> parse_csr_fill(std::string_view words);

}  // namespace warpscope
