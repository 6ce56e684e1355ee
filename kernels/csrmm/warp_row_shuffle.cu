// kernels/csrmm/warp_row_shuffle.cu: 32 indices in one coalesced load, then handed round by
// shuffles.
//
// Against warp_row: the broadcast loads of indices and weights become one 4-sector load for 32
// entries. With IN_FLIGHT 1 every gather of B waits for its own shuffle and the tail is serial, so
// fewer sectors take more time; with IN_FLIGHT 4 four gathers are under way at once. Compare the
// two before blaming the shuffle.
//
//   HOMO  1: one weight for all entries     IN_FLIGHT  gathers of B issued before the first is used
#include "csrmm/rows_of_b.cuh"

extern "C" __global__ void __launch_bounds__(32)
    warp_row_shuffle(const int* __restrict__ indptr,     // [m + 1]
                     const int* __restrict__ indices,    // [nnz]
                     const float* __restrict__ weights,  // [nnz], [1] when HOMO
                     const float* __restrict__ b,        // [k, n]
                     float* __restrict__ c,              // [m, n]
                     int n) {
  constexpr unsigned kAllLanes = 0xffffffffu;
  const long long row = blockIdx.x;
  const int lane = threadIdx.x;
  const int column = blockIdx.y * 32 + lane;
  // Lanes beyond the last column keep step with the shuffles and read a column that exists.
  const int read_column = column < n ? column : n - 1;
  const int begin = indptr[row];
  const int end = indptr[row + 1];
#if HOMO
  const float weight = weights[0];
#endif
  const float* const b_column = b + read_column;
  const int row_bytes = n * static_cast<int>(sizeof(float));
  float sum = 0.0f;
  for (int base = begin; base < end; base += 32) {
    const int count = min(32, end - base);
    const int my_source = lane < count ? indices[base + lane] : 0;
#if !HOMO
    const float my_weight = lane < count ? weights[base + lane] : 0.0f;
#endif
    int t = 0;
#if IN_FLIGHT > 1
    for (; t + IN_FLIGHT <= count; t += IN_FLIGHT) {
      float value[IN_FLIGHT];
#pragma unroll
      for (int u = 0; u < IN_FLIGHT; ++u) {
        const int source = __shfl_sync(kAllLanes, my_source, t + u);
        value[u] = *row_of(b_column, source, row_bytes);
      }
#pragma unroll
      for (int u = 0; u < IN_FLIGHT; ++u) {
#if HOMO
        sum += weight * value[u];
#else
        sum += __shfl_sync(kAllLanes, my_weight, t + u) * value[u];
#endif
      }
    }
#endif
#pragma unroll 1
    for (; t < count; ++t) {
      const int source = __shfl_sync(kAllLanes, my_source, t);
      const float value = *row_of(b_column, source, row_bytes);
#if HOMO
      sum += weight * value;
#else
      sum += __shfl_sync(kAllLanes, my_weight, t) * value;
#endif
    }
  }
  if (column < n) c[row * n + column] = sum;
}
