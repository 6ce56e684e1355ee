// kernels/csrmm/seed_block_row.cu: block_row.cu in every type; both index widths.
//
// Warp w takes entries w, w + 8, w + 16 … of a row; an 8 × 32 reduction follows, of 1 KB in f32 and
// 2 KB in f64.
//
//   HOMO  1: one weight for all entries     ZERO_TEST  1: skip terms whose b is zero
//   UNROLL  entries a warp takes a turn     TYPE  stored.cuh
//   INDEX_WIDTH, LAUNCH_BOUNDS  seed_reading.cuh
#include "csrmm/seed_reading.cuh"
#include "csrmm/stored.cuh"

extern "C" __global__ void SEED_BOUNDS
seed_block_row(const int* __restrict__ indptr,       // [m + 1]
               const int* __restrict__ indices,      // [nnz]
               const Element* __restrict__ weights,  // [nnz], [1] when HOMO
               const Element* __restrict__ b,        // [k, n]
               Element* __restrict__ c,              // [m, n]
               int n) {
  constexpr int kWarps = 8;
  __shared__ Sum part[kWarps][32];
  const Index row = blockIdx.x;
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const int column = blockIdx.y * 32 + lane;
  const int begin = indptr[row];
  const int end = indptr[row + 1];
  Sum sum = 0;
  int j = begin + warp;
  // Warps without an entry load no weight: ptxas moves its load here anyway.
  if (column < n && j < end) {
#if HOMO
    const Sum weight = loaded(weights[0]);
#define WEIGHT(j) weight
#else
#define WEIGHT(j) loaded(weights[j])
#endif
#if UNROLL > 1
    for (; j + (UNROLL - 1) * kWarps < end; j += UNROLL * kWarps) {
      Sum value[UNROLL];
#pragma unroll
      for (int u = 0; u < UNROLL; ++u) {
        value[u] = loaded(*place_of(b, indices[j + u * kWarps], column, n));
      }
#pragma unroll
      for (int u = 0; u < UNROLL; ++u) sum += WEIGHT(j + u * kWarps) * value[u];
    }
#endif
    for (; j < end; j += kWarps) {
      const Sum value = loaded(*place_of(b, indices[j], column, n));
#if ZERO_TEST
      if (value == 0) continue;
#endif
      sum += WEIGHT(j) * value;
    }
  }
  part[warp][lane] = sum;
  __syncthreads();
  if (warp == 0 && column < n) {
    Sum total = 0;
#pragma unroll
    for (int w = 0; w < kWarps; ++w) total += part[w][lane];
    c[row * n + column] = stored(total);
  }
}
