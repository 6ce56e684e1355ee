// kernels/csrmm/t_scatter_vector.cu: C = Aᵀ·B by vector reductions: COLUMNS columns per atomic.
//
// Against t_scatter: a lane owns COLUMNS neighbouring columns and adds them with one
// red.global.add.v4.f32 (v2 for two), so requests fall fourfold. A lane leaves only if all of its b
// are zero (0.9⁴ = 66 % at 10 % density); the zeros beside a nonzero are added as zeros, whatever
// the weight is, so the kernel stays in the class that skips zeros.
//
//   HOMO  1: one weight for all entries     COLUMNS  2 or 4     ROWS  rows per block
#include "csrmm/columns.cuh"

extern "C" __global__ void __launch_bounds__(32 * ROWS)
    t_scatter_vector(const int* __restrict__ indptr,     // [m + 1]
                     const int* __restrict__ indices,    // [nnz]
                     const float* __restrict__ weights,  // [nnz], [1] when HOMO
                     const Packed* __restrict__ b,       // [m, width]
                     Packed* __restrict__ c,             // [k, width], zeroed
                     int m, int width) {                 // width = n / COLUMNS
  const long long row = static_cast<long long>(blockIdx.x) * ROWS + threadIdx.y;
  const int column = blockIdx.y * 32 + threadIdx.x;
  if (row >= m || column >= width) return;
  const Sums value = unpacked(b[row * width + column]);
  bool zero = true;
#pragma unroll
  for (int i = 0; i < COLUMNS; ++i) zero = zero && value.of[i] == 0.0f;
  if (zero) return;
  const int end = indptr[row + 1];
  Packed* const c_column = c + column;
#pragma unroll 4
  for (int j = indptr[row]; j < end; ++j) {
#if HOMO
    const float weight = weights[0];
#else
    const float weight = weights[j];
#endif
    Sums product;
#pragma unroll
    for (int i = 0; i < COLUMNS; ++i) {
      product.of[i] = value.of[i] == 0.0f ? 0.0f : weight * value.of[i];
    }
    add_to_memory(c_column + static_cast<long long>(indices[j]) * width, product);
  }
}
