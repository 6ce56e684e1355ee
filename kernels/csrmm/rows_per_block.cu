// kernels/csrmm/rows_per_block.cu: several row-warps in one block, so that warps fill the machine.
//
// Against warp_row: the same loop, but ROWS warps per block, with a row each. 32 blocks of one warp
// were half of what a multiprocessor can hold; 32 blocks are no longer the limit, and theoretical
// occupancy rises from 50 % to 100 %.
//
//   HOMO  1: one weight for all entries     UNROLL  entries per turn     ROWS  rows per block
//   TYPE  of weights, B and C
#include "csrmm/element.cuh"
#include "csrmm/rows_of_b.cuh"

extern "C" __global__ void __launch_bounds__(32 * ROWS)
    rows_per_block(const int* __restrict__ indptr,       // [m + 1]
                   const int* __restrict__ indices,      // [nnz]
                   const Element* __restrict__ weights,  // [nnz], [1] when HOMO
                   const Element* __restrict__ b,        // [k, n]
                   Element* __restrict__ c,              // [m, n]
                   int m, int n) {
  const long long row = static_cast<long long>(blockIdx.x) * ROWS + threadIdx.y;
  const int column = blockIdx.y * 32 + threadIdx.x;
  if (row >= m || column >= n) return;
  const int end = indptr[row + 1];
#if HOMO
  const float weight = to_float(weights[0]);
#endif
  const Element* const b_column = b + column;
  const int row_bytes = n * static_cast<int>(sizeof(Element));
  float sum = 0.0f;
  int j = indptr[row];
#if UNROLL > 1
  for (; j + UNROLL <= end; j += UNROLL) {
    float value[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
      value[u] = to_float(*row_of(b_column, indices[j + u], row_bytes));
    }
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
#if HOMO
      sum += weight * value[u];
#else
      sum += to_float(weights[j + u]) * value[u];
#endif
    }
  }
#endif
#pragma unroll 1
  for (; j < end; ++j) {
    const float value = to_float(*row_of(b_column, indices[j], row_bytes));
#if HOMO
    sum += weight * value;
#else
    sum += to_float(weights[j]) * value;
#endif
  }
  c[row * n + column] = to_element(sum);
}
