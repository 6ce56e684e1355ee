// kernels/csrmm/warp_row.cu: one warp walks one row for 32 columns of C; lane = column.
//
// The first published kernel and the rungs that changed only its loop. Look at the index and weight
// loads: all lanes read one word (a broadcast, 1 sector), while the gather of B reads 32
// neighbouring words (4 sectors in 1 line). The block is one warp, and a multiprocessor holds at
// most 32 blocks, so occupancy cannot pass 50 % whatever the registers.
//
//   HOMO       1: one weight for all entries     ZERO_TEST  1: skip terms whose b is zero
//   UNROLL     entries a turn                    READ_ONLY  1: B through ld.global.nc
//   GROUPED    1: a turn's products are summed before they meet the accumulator
//   TYPE       of weights, B and C
#include "csrmm/element.cuh"
#include "csrmm/rows_of_b.cuh"
#ifndef GROUPED
#define GROUPED 0
#endif

__device__ __forceinline__ float load_b(const Element* b) {
#if READ_ONLY
  return to_float(__ldg(b));
#else
  return to_float(*b);
#endif
}

extern "C" __global__ void __launch_bounds__(32)
    warp_row(const int* __restrict__ indptr,       // [m + 1]
             const int* __restrict__ indices,      // [nnz]
             const Element* __restrict__ weights,  // [nnz], [1] when HOMO
             const Element* b,                     // [k, n]
             Element* c,                           // [m, n]
             int n) {
  const long long row = blockIdx.x;
  const int column = blockIdx.y * 32 + threadIdx.x;
  if (column >= n) return;
  const int begin = indptr[row];
  const int end = indptr[row + 1];
#if HOMO
  const float weight = to_float(weights[0]);
#endif
  const Element* const b_column = b + column;
  const int row_bytes = n * static_cast<int>(sizeof(Element));
  float sum = 0.0f;
  int j = begin;
#if UNROLL > 1
  for (; j + UNROLL <= end; j += UNROLL) {
    int source[UNROLL];
    float value[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) source[u] = indices[j + u];
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
      value[u] = load_b(row_of(b_column, source[u], row_bytes));
    }
#if GROUPED
    float group = 0.0f;
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
#if HOMO
      group += value[u];
#else
      group += to_float(weights[j + u]) * value[u];
#endif
    }
#if HOMO
    sum += weight * group;
#else
    sum += group;
#endif
#else
#pragma unroll
    for (int u = 0; u < UNROLL; ++u) {
#if HOMO
      sum += weight * value[u];
#else
      sum += to_float(weights[j + u]) * value[u];
#endif
    }
#endif
  }
#endif
  for (; j < end; ++j) {
    const float value = load_b(row_of(b_column, indices[j], row_bytes));
#if ZERO_TEST
    if (value != 0.0f) {
#endif
#if HOMO
      sum += weight * value;
#else
    sum += to_float(weights[j]) * value;
#endif
#if ZERO_TEST
    }
#endif
  }
  c[row * n + column] = to_element(sum);
}
