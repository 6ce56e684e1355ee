// kernels/csrmm/row_pack.cu: four row-warps per block, a capped grid, and a stride loop over rows.
//
// The origin's later, simpler design: a plain loop without unrolling or read-only loads; at most
// 4096 blocks, each of which takes rows until none is left. Compare it with rows_per_block: the
// compiler unrolls the plain loop by itself.
//
//   HOMO  1: one weight for all entries
#include "csrmm/rows_of_b.cuh"

extern "C" __global__ void __launch_bounds__(128)
    row_pack(const int* __restrict__ indptr,     // [m + 1]
             const int* __restrict__ indices,    // [nnz]
             const float* __restrict__ weights,  // [nnz], [1] when HOMO
             const float* b,                     // [k, n]
             float* c,                           // [m, n]
             int m, int n) {
  constexpr int kRows = 4;
  const int column = blockIdx.y * 32 + threadIdx.x;
  if (column >= n) return;
#if HOMO
  const float weight = weights[0];
#endif
  const float* const b_column = b + column;
  const int row_bytes = n * static_cast<int>(sizeof(float));
  for (long long row = static_cast<long long>(blockIdx.x) * kRows + threadIdx.y; row < m;
       row += static_cast<long long>(gridDim.x) * kRows) {
    float sum = 0.0f;
    for (int j = indptr[row]; j < indptr[row + 1]; ++j) {
      const float value = *row_of(b_column, indices[j], row_bytes);
#if HOMO
      sum += weight * value;
#else
      sum += weights[j] * value;
#endif
    }
    c[row * n + column] = sum;
  }
}
