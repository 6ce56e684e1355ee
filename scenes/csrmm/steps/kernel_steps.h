// scenes/csrmm/steps/kernel_steps.h: the parts that csrmm's kernel steps are put together from.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "scenes/csrmm/steps/steps.h"

namespace warpscope::csrmm {

bool homogeneous(const Workload& w);
std::int64_t entries(const Workload& w);  // the fact nnz

std::pair<std::string, std::string> homo(const Workload& w);  // HOMO=0 or 1

Step clear(std::string buffer, Phase phase = Phase::run);

// A kernel with one thread per element in blocks of 256; `elements` must not be 0.
KernelLaunch element_kernel(const Workload& w, std::string source, std::string entry,
                            std::int64_t elements, std::vector<Argument> arguments);

// Blocks of eight warps, one row per warp, `strips` blocks per row.
KernelLaunch row_kernel(std::string source, std::string entry, std::int64_t rows,
                        std::int64_t strips, std::vector<Argument> arguments);

// The matrix whose rows are walked and gathered: A, or for op T the rows of Aᵀ, which its CSC
// arrays are.
struct GatheredRows {
  std::string indptr = "indptr", indices = "indices", weights = "weights";
  std::int64_t rows = 0;
  std::vector<Argument> arguments() const;  // indptr, indices, weights, b, c
};
GatheredRows rows_of_a(const Workload& w);
GatheredRows rows_of_a_transposed(const Workload& w);

// The entries of a block's rows, `each` at a time, over a grid of `blocks` across.
std::function<double(const Inputs&, const Dim3&)> entries_of_rows(const std::string& indptr,
                                                                  std::int64_t rows,
                                                                  std::int64_t each,
                                                                  std::int64_t blocks);

// Blocks of `rows` row-warps; the kernel's last parameters are the number of rows and `width`: the
// columns of B divided by the columns per lane.
Step packed_step(const Workload& w, const GatheredRows& gathered, std::string source,
                 std::string entry, Defines defines, std::int64_t rows, std::int64_t blocks,
                 std::int64_t width);

std::pair<std::string, std::string> type(const Workload& w);  // TYPE, as in stored.cuh

// Columns in 16 bytes of a row: 4, or 8 of 16 bits.
std::int64_t columns_in_16_bytes(const Configuration& axes);
// Columns that a lane owns in kernels with a vector form and a scalar one: 16 bytes where n allows.
std::int64_t columns_per_lane(const Workload& w);

// The kernels float4_columns and, for any n, rows_per_block on one matrix or the other.
Step float4_columns_step(const Workload& w, const GatheredRows& gathered);
Step rows_per_block_step(const Workload& w, const GatheredRows& gathered, std::int64_t unroll);

}  // namespace warpscope::csrmm
