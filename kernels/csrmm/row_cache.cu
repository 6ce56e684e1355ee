// kernels/csrmm/row_cache.cu: 32 entries of A staged in shared memory, COARSEN columns per lane.
//
// Against rows_per_block: indices and weights come in one coalesced load for 32 entries and are
// read again as one 8-byte broadcast from shared memory, and a warp covers COARSEN strips of 32
// columns with them. B is gathered in scalar loads, so any n will do.
// source: Huang et al., GE-SpMM, SC 2020: coalesced row caching and coarse-grained warp merging.
//
//   HOMO  1: one weight for all entries     COARSEN  columns per lane: 2 or 4
//   UNROLL  entries per turn                ROWS  rows per block
#include "csrmm/rows_of_b.cuh"

extern "C" __global__ void __launch_bounds__(32 * ROWS)
    row_cache(const int* __restrict__ indptr,     // [m + 1]
              const int* __restrict__ indices,    // [nnz]
              const float* __restrict__ weights,  // [nnz], [1] when HOMO
              const float* __restrict__ b,        // [k, n]
              float* __restrict__ c,              // [m, n]
              int m, int n) {
  constexpr int kUnroll = UNROLL;
  struct Entry {
    int source;
    float weight;
  };
  __shared__ Entry staged[ROWS][32];
  const long long row = static_cast<long long>(blockIdx.x) * ROWS + threadIdx.y;
  if (row >= m) return;  // the whole warp
  const int lane = threadIdx.x;
  const int first = blockIdx.y * 32 * COARSEN + lane;
  const int row_bytes = n * static_cast<int>(sizeof(float));
#if HOMO
  const float shared_weight = weights[0];
#endif
  float sum[COARSEN] = {};
  const int end = indptr[row + 1];
  for (int base = indptr[row]; base < end; base += 32) {
    const int count = min(32, end - base);
    __syncwarp();
    if (lane < count) {
#if HOMO
      staged[threadIdx.y][lane] = {indices[base + lane], shared_weight};
#else
      staged[threadIdx.y][lane] = {indices[base + lane], weights[base + lane]};
#endif
    }
    __syncwarp();
#pragma unroll kUnroll
    for (int t = 0; t < count; ++t) {
      const Entry entry = staged[threadIdx.y][t];
      const float* const source = row_of(b + first, entry.source, row_bytes);
#pragma unroll
      for (int i = 0; i < COARSEN; ++i) {
        if (first + 32 * i < n) sum[i] += entry.weight * source[32 * i];
      }
    }
  }
#pragma unroll
  for (int i = 0; i < COARSEN; ++i) {
    if (first + 32 * i < n) c[row * n + first + 32 * i] = sum[i];
  }
}
