// scenes/csrmm/csc.h: A in columns (CSC), which are the rows of Aᵀ: a transposed product that
// gathers.
#pragma once

#include "scenes/csrmm/steps/steps.h"

namespace warpscope::csrmm {

// Prepare steps that fill csc_indptr, csc_indices and csc_weights (homogeneous: none) from the CSR
// arrays with our own kernels. A column's entries come in an order that is fixed until they are
// prepared anew.
Steps csc_prepare_steps(const Workload& w);

// shape: csc_indptr i32[k + 1], csc_indices i32[nnz], csc_weights [nnz] of the weights' type unless
// homogeneous, and csc_counts i32[k] for the steps themselves.
Buffers csc_scratch(const Workload& w);

// C = Aᵀ·B as a gather on the CSC arrays, in float4 columns where n is a multiple of 4.
Steps t_csc_gather_steps(const Workload& w);
// The same with eight warps per row of Aᵀ, as in block_row.cu for a row of A.
Steps t_csc_block_row_steps(const Workload& w);

// Scatters by vector reductions of `columns` columns (2 or 4), or by warps that vote first.
Steps t_scatter_vector_steps(const Workload& w, std::int64_t columns);
Steps t_scatter_strip_skip_steps(const Workload& w);

}  // namespace warpscope::csrmm
