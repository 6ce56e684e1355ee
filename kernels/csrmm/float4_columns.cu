// kernels/csrmm/float4_columns.cu: a lane owns four neighbouring columns, a warp 128 of them.
//
// Against rows_per_block: one LDG.128 a lane instead of four LDG.32 in four different warps, and
// the index and weight streams are read once instead of four times. A full request covers 16
// sectors in 4 lines: every byte fetched is used.
//
//   HOMO  1: one weight for all entries     UNROLL  gathers in flight     ROWS  rows a block
#include "csrmm/rows_of_b.cuh"

extern "C" __global__ void __launch_bounds__(32 * ROWS)
    float4_columns(const int* __restrict__ indptr,     // [m + 1]
                   const int* __restrict__ indices,    // [nnz]
                   const float* __restrict__ weights,  // [nnz], [1] when HOMO
                   const float4* __restrict__ b,       // [k, n / 4]
                   float4* __restrict__ c,             // [m, n / 4]
                   int m, int quads) {                 // quads = n / 4
  constexpr int kUnroll = UNROLL;
  const long long row = static_cast<long long>(blockIdx.x) * ROWS + threadIdx.y;
  const int quad = blockIdx.y * 32 + threadIdx.x;
  if (row >= m || quad >= quads) return;
  const int end = indptr[row + 1];
#if HOMO
  const float weight = weights[0];
#endif
  const float4* const b_column = b + quad;
  const int row_bytes = quads * static_cast<int>(sizeof(float4));
  float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
#pragma unroll kUnroll
  for (int j = indptr[row]; j < end; ++j) {
    const float4 value = *row_of(b_column, indices[j], row_bytes);
#if !HOMO
    const float weight = weights[j];
#endif
    sum.x += weight * value.x;
    sum.y += weight * value.y;
    sum.z += weight * value.z;
    sum.w += weight * value.w;
  }
  c[row * quads + quad] = sum;
}
