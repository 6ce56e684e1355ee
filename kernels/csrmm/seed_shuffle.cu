// kernels/csrmm/seed_shuffle.cu: warp_row_shuffle.cu in all readings of the original and all types.
//
// 32 indices come in one coalesced load and are handed round by shuffles; with IN_FLIGHT 1 every
// gather of B waits for its own shuffle. Look at what int products save between two shuffles.
//
//   HOMO  1: one weight for all entries     IN_FLIGHT  gathers of B issued before the first is used
//   TYPE  stored.cuh                        INDEX_WIDTH, LAUNCH_BOUNDS  seed_reading.cuh
#include "csrmm/seed_reading.cuh"
#include "csrmm/stored.cuh"

extern "C" __global__ void SEED_BOUNDS
seed_shuffle(const int* __restrict__ indptr,       // [m + 1]
             const int* __restrict__ indices,      // [nnz]
             const Element* __restrict__ weights,  // [nnz], [1] when HOMO
             const Element* __restrict__ b,        // [k, n]
             Element* __restrict__ c,              // [m, n]
             int n) {
  constexpr unsigned kAllLanes = 0xffffffffu;
  const Index row = blockIdx.x;
  const int lane = threadIdx.x;
  const int column = blockIdx.y * 32 + lane;
  // Lanes beyond the last column keep step with the shuffles and read a column that exists.
  const int read_column = column < n ? column : n - 1;
  const int begin = indptr[row];
  const int end = indptr[row + 1];
#if HOMO
  const Sum weight = loaded(weights[0]);
#define WEIGHT(t) weight
#else
#define WEIGHT(t) __shfl_sync(kAllLanes, my_weight, t)
#endif
  Sum sum = 0;
  for (int base = begin; base < end; base += 32) {
    const int count = min(32, end - base);
    const int my_source = lane < count ? indices[base + lane] : 0;
#if !HOMO
    const Sum my_weight = lane < count ? loaded(weights[base + lane]) : Sum(0);
#endif
    int t = 0;
#if IN_FLIGHT > 1
    for (; t + IN_FLIGHT <= count; t += IN_FLIGHT) {
      Sum value[IN_FLIGHT];
#pragma unroll
      for (int u = 0; u < IN_FLIGHT; ++u) {
        const int source = __shfl_sync(kAllLanes, my_source, t + u);
        value[u] = loaded(*place_of(b, source, read_column, n));
      }
#pragma unroll
      for (int u = 0; u < IN_FLIGHT; ++u) sum += WEIGHT(t + u) * value[u];
    }
#endif
#pragma unroll 1
    for (; t < count; ++t) {
      const int source = __shfl_sync(kAllLanes, my_source, t);
      sum += WEIGHT(t) * loaded(*place_of(b, source, read_column, n));
    }
  }
  if (column < n) c[row * n + column] = stored(sum);
}
