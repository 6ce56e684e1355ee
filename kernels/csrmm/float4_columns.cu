// kernels/csrmm/float4_columns.cu: a lane owns four neighbouring columns, a warp 128 of them.
//
// Against rows_per_block: one LDG.128 per lane instead of four LDG.32 in four different warps, and
// the index and weight streams are read once instead of four times. A full request covers 16
// sectors in 4 lines: every byte fetched is used.
//
// In 16-bit storage the same 16 bytes are eight columns, and half the bytes are gathered.
//
//   HOMO  1: one weight for all entries     UNROLL  gathers in flight     ROWS  rows per block
//   COLUMNS  columns in 16 bytes            TYPE  of weights, B and C
#include "csrmm/columns.cuh"

extern "C" __global__ void __launch_bounds__(32 * ROWS)
    float4_columns(const int* __restrict__ indptr,       // [m + 1]
                   const int* __restrict__ indices,      // [nnz]
                   const Element* __restrict__ weights,  // [nnz], [1] when HOMO
                   const Packed* __restrict__ b,         // [k, quads]
                   Packed* __restrict__ c,               // [m, quads]
                   int m, int quads) {                   // quads = n / COLUMNS
  constexpr int kUnroll = UNROLL;
  const long long row = static_cast<long long>(blockIdx.x) * ROWS + threadIdx.y;
  const int quad = blockIdx.y * 32 + threadIdx.x;
  if (row >= m || quad >= quads) return;
  const int end = indptr[row + 1];
#if HOMO
  const float weight = to_float(weights[0]);
#endif
  const Packed* const b_column = b + quad;
  const int row_bytes = quads * static_cast<int>(sizeof(Packed));
  Sums sum{};
#pragma unroll kUnroll
  for (int j = indptr[row]; j < end; ++j) {
    const Packed value = *row_of(b_column, indices[j], row_bytes);
#if !HOMO
    const float weight = to_float(weights[j]);
#endif
    add_product(sum, weight, value);
  }
  store(c + row * quads + quad, sum);
}
