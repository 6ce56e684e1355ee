// kernels/csrmm/column_slab.cu: four columns of all of B in shared memory, A walked once for each
// slab.
//
// Against float4_columns: no row of B is ever gathered from L2. A block fetches its four columns
// (16·k bytes), then its warps walk rows of A with one entry per lane: indices and weights are
// coalesced, and 32 random 16-byte reads hit shared memory at once, each quarter of a warp in about
// 2.6 wavefronts. A itself is read n / 4 times: that is now the traffic of L2.
//
//   HOMO  1: one weight for all entries     WARPS  warps per block

extern "C" __global__ void __launch_bounds__(32 * WARPS)
    column_slab(const int* __restrict__ indptr,     // [m + 1]
                const int* __restrict__ indices,    // [nnz]
                const float* __restrict__ weights,  // [nnz], [1] when HOMO
                const float4* __restrict__ b,       // [k, quads]
                float* __restrict__ c,              // [m, 4 * quads]
                int m, int k) {
  constexpr unsigned kAllLanes = 0xffffffffu;
  extern __shared__ float4 slab[];  // [k]
  const int quad = blockIdx.x, quads = gridDim.x;
  const int lane = threadIdx.x, warp = threadIdx.y;
  for (int r = warp * 32 + lane; r < k; r += 32 * WARPS) {
    slab[r] = b[static_cast<long long>(r) * quads + quad];
  }
  __syncthreads();
#if HOMO
  const float weight = weights[0];
#endif
  const bool upper = (lane & 16) != 0, odd = (lane & 8) != 0;
  for (long long row = static_cast<long long>(blockIdx.y) * WARPS + warp; row < m;
       row += static_cast<long long>(gridDim.y) * WARPS) {
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    const int end = indptr[row + 1];
#pragma unroll 4
    for (int j = indptr[row] + lane; j < end; j += 32) {
      const float4 value = slab[indices[j]];
#if !HOMO
      const float weight = weights[j];
#endif
      sum.x += weight * value.x;
      sum.y += weight * value.y;
      sum.z += weight * value.z;
      sum.w += weight * value.w;
    }
    // Four sums over 32 lanes in six shuffles: lanes give away the columns they do not keep.
    float first = upper ? sum.z : sum.x, second = upper ? sum.w : sum.y;
    first += __shfl_xor_sync(kAllLanes, upper ? sum.x : sum.z, 16);
    second += __shfl_xor_sync(kAllLanes, upper ? sum.y : sum.w, 16);
    float total = odd ? second : first;
    total += __shfl_xor_sync(kAllLanes, odd ? first : second, 8);
#pragma unroll
    for (int distance = 4; distance > 0; distance /= 2) {
      total += __shfl_xor_sync(kAllLanes, total, distance);
    }
    if (lane % 8 == 0) c[(row * quads + quad) * 4 + lane / 8] = total;
  }
}
