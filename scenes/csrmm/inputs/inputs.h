// scenes/csrmm/inputs/inputs.h: sparse matrices by distribution, from files, and the dense operand.
#pragma once

#include <cstdint>
#include <span>

#include "scenes/base/scene.h"

// Every generator is a pure function of the configuration and its random seed. Structure, weights
// and B have separate streams, so moving one slider leaves the inputs of the others unchanged.

namespace warpscope::csrmm {

// The streams of random numbers, one a quantity.
enum Stream : std::uint32_t { kLengths = 1, kColumns, kWeights, kB, kKept, kUnique };
std::uint64_t seed_of(const Configuration& axes);

// Elements of indices, column_counts, weights and b from `first` on: of columns where each is drawn
// alone, of weights where no file gives them. See InputGroup::elements and by_index.
void make_elements(const Workload& w, const std::string& array, std::int64_t first,
                   std::span<std::byte> bytes);
bool has_elements(const Workload& w, const std::string& array);

// Whether an entry's column is drawn by its index alone, from all columns.
bool columns_by_index(const Configuration& axes);

// Expected number of entries in all, before anything is generated.
double expected_entries(const Configuration& axes);

// Writes indptr i32[m + 1], indices i32[nnz], column_counts i32[k] and, for rows = file, the file's
// values; facts m, k, nnz, mean_row, longest_row, shortest_row, longest_column, distinct_columns,
// duplicates. error: input, usage.
Result<void> generate_structure(const Configuration& axes, Inputs& inputs, Facts& facts);

// Writes indptr and the facts of rows; of columns that are not drawn by index all that
// generate_structure writes. See InputGroup::outline. error: as there.
Result<void> outline_structure(const Configuration& axes, Inputs& inputs, Facts& facts);

// Writes weights [nnz], or [1] when homogeneous, rounded to the type of the axis dtype.
Result<void> generate_weights(const Configuration& axes, Inputs& inputs, Facts& facts);

// Writes b [k, n] for NT, [m, n] for T, rounded to the type of the axis dtype; fact b_nonzeros.
Result<void> generate_b(const Configuration& axes, Inputs& inputs, Facts& facts);

// Checks raw CSR arrays: indptr starts at 0, never falls, ends at nnz; indices lie in [0, columns).
// error: input, naming the first offending row or entry.
Result<void> validate_csr(std::span<const std::int32_t> indptr,
                          std::span<const std::int32_t> indices, std::int64_t columns);

}  // namespace warpscope::csrmm
