// kernels/csrmm/t_scatter_strip_skip.cu: C = Aᵀ·B by scattering, where a whole warp leaves early.
//
// Against t_scatter: the warp votes before it reads the row of A. If its strip of B is all zero it
// leaves at once; else all lanes stay together and those with b = 0 issue no atomic. At 10 %
// density spread anywhere a strip is empty 3.4 % of the time; where zeros come in whole strips or
// rows it is empty 90 % of the time, and so is the work.
//
//   HOMO  1: one weight for all entries     ROWS  rows per block

extern "C" __global__ void __launch_bounds__(32 * ROWS)
    t_scatter_strip_skip(const int* __restrict__ indptr,     // [m + 1]
                         const int* __restrict__ indices,    // [nnz]
                         const float* __restrict__ weights,  // [nnz], [1] when HOMO
                         const float* __restrict__ b,        // [m, n]
                         float* __restrict__ c,              // [k, n], zeroed
                         int m, int n) {
  constexpr unsigned kAllLanes = 0xffffffffu;
  const long long row = static_cast<long long>(blockIdx.x) * ROWS + threadIdx.y;
  const int column = blockIdx.y * 32 + threadIdx.x;
  if (row >= m) return;
  const float value = column < n ? b[row * n + column] : 0.0f;
  if (!__any_sync(kAllLanes, value != 0.0f)) return;
  const int end = indptr[row + 1];
#pragma unroll 4
  for (int j = indptr[row]; j < end; ++j) {
#if HOMO
    const float weight = weights[0];
#else
    const float weight = weights[j];
#endif
    if (value != 0.0f) {
      atomicAdd(c + static_cast<long long>(indices[j]) * n + column, weight * value);
    }
  }
}
