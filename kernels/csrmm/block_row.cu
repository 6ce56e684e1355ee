// kernels/csrmm/block_row.cu: eight warps share one row of A and add their parts in shared memory.
//
// Against warp_row: warp w takes entries w, w + 8, w + 16 …; an 8 × 32 reduction (1 KB) follows. It
// pays where a row is long enough to keep eight warps busy; at 200 entries the reduction and the
// idle warps at the end cost more than they bring.
//
//   HOMO  1: one weight for all entries     ZERO_TEST  1: skip terms whose b is zero
//   UNROLL  entries a warp takes a turn
//   WIDE  1: 64-bit addresses into B, 0: 32-bit indices, for k·n below 2³¹
#include "csrmm/rows_of_b.cuh"

// The element of B in a lane's column.
__device__ __forceinline__ float element_of(const float* b, int row, int column, int n) {
#if WIDE
  return *row_of(b + column, row, n * static_cast<int>(sizeof(float)));
#else
  return b[row * n + column];
#endif
}

extern "C" __global__ void __launch_bounds__(256)
    block_row(const int* __restrict__ indptr,     // [m + 1]
              const int* __restrict__ indices,    // [nnz]
              const float* __restrict__ weights,  // [nnz], [1] when HOMO
              const float* __restrict__ b,        // [k, n]
              float* __restrict__ c,              // [m, n]
              int n) {
  constexpr int kWarps = 8;
  __shared__ float part[kWarps][32];
  const long long row = blockIdx.x;
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const int column = blockIdx.y * 32 + lane;
  const int begin = indptr[row];
  const int end = indptr[row + 1];
  float sum = 0.0f;
  int j = begin + warp;
  // Warps without an entry load no weight: ptxas moves its load here anyway.
  if (column < n && j < end) {
#if HOMO
    const float weight = weights[0];
#endif
#if UNROLL > 1
    for (; j + (UNROLL - 1) * kWarps < end; j += UNROLL * kWarps) {
      float value[UNROLL];
#pragma unroll
      for (int u = 0; u < UNROLL; ++u) {
        value[u] = element_of(b, indices[j + u * kWarps], column, n);
      }
#pragma unroll
      for (int u = 0; u < UNROLL; ++u) {
#if HOMO
        sum += weight * value[u];
#else
        sum += weights[j + u * kWarps] * value[u];
#endif
      }
    }
#endif
    for (; j < end; j += kWarps) {
      const float value = element_of(b, indices[j], column, n);
#if ZERO_TEST
      if (value == 0.0f) continue;
#endif
#if HOMO
      sum += weight * value;
#else
      sum += weights[j] * value;
#endif
    }
  }
  part[warp][lane] = sum;
  __syncthreads();
  if (warp == 0 && column < n) {
    float total = 0.0f;
#pragma unroll
    for (int w = 0; w < kWarps; ++w) total += part[w][lane];
    c[row * n + column] = total;
  }
}
