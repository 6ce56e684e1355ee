// kernels/csrmm/t_slab.cu: C = Aᵀ·B by scattering into shared memory: a block owns columns of C.
//
// Against t_scatter: no global atomics and no clearing of C. A block keeps COLUMNS columns of all
// of C, walks the rows of A whose b is not zero there, one entry per lane, adds in shared memory
// and writes each element once. Shared memory has no float add: an atomic is a loop of compare and
// swap, and is the limit. With one column per block, nine rows in ten need not be read at all.
//
//   HOMO  1: one weight for all entries     COLUMNS  columns per block     WARPS  warps per block

extern "C" __global__ void __launch_bounds__(32 * WARPS)
    t_slab(const int* __restrict__ indptr,     // [m + 1]
           const int* __restrict__ indices,    // [nnz]
           const float* __restrict__ weights,  // [nnz], [1] when HOMO
           const float* __restrict__ b,        // [m, n]
           float* __restrict__ c,              // [k, n]
           int m, int k, int n) {
  constexpr unsigned kAllLanes = 0xffffffffu;
  extern __shared__ float columns_of_c[];  // [k, COLUMNS]
  const int first = blockIdx.x * COLUMNS;
  const int lane = threadIdx.x, thread = threadIdx.y * 32 + lane;
  for (int i = thread; i < k * COLUMNS; i += 32 * WARPS) columns_of_c[i] = 0.0f;
  __syncthreads();
  // A warp looks at 32 rows at once and walks those that have a nonzero.
  for (int base = threadIdx.y * 32; base < m; base += 32 * WARPS) {
    const int mine = base + lane;
    float value[COLUMNS];
    bool any = false;
#pragma unroll
    for (int e = 0; e < COLUMNS; ++e) {
      value[e] = mine < m && first + e < n ? b[static_cast<long long>(mine) * n + first + e] : 0.0f;
      any = any || value[e] != 0.0f;
    }
    for (unsigned rows = __ballot_sync(kAllLanes, any); rows != 0; rows &= rows - 1) {
      const int owner = __ffs(static_cast<int>(rows)) - 1;
      float of_row[COLUMNS];
#pragma unroll
      for (int e = 0; e < COLUMNS; ++e) of_row[e] = __shfl_sync(kAllLanes, value[e], owner);
      const int end = indptr[base + owner + 1];
#pragma unroll 2
      for (int j = indptr[base + owner] + lane; j < end; j += 32) {
#if HOMO
        const float weight = weights[0];
#else
        const float weight = weights[j];
#endif
        float* const target = columns_of_c + indices[j] * COLUMNS;
#pragma unroll
        for (int e = 0; e < COLUMNS; ++e) {
          if (of_row[e] != 0.0f) atomicAdd(target + e, weight * of_row[e]);
        }
      }
    }
  }
  __syncthreads();
  for (int i = thread; i < k * COLUMNS; i += 32 * WARPS) {
    const int column = first + i % COLUMNS;
    if (column < n) c[static_cast<long long>(i / COLUMNS) * n + column] = columns_of_c[i];
  }
}
