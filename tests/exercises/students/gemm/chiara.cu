// tests/exercises/students/gemm/chiara.cu: by an author who knew only the text.
// Only B's tile needs shared memory: the 16 elements of A that a row of threads uses are held by
// these 16 lanes themselves (a warp is two rows), so a shuffle of width 16 hands them out.
extern "C" __global__ void gemm(const float* __restrict__ a, const float* __restrict__ b,
                                float* __restrict__ c, int m, int n, int k) {
  __shared__ float tile[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * 16 + ty, column = blockIdx.x * 16 + tx;
  const bool has_row = row < m, has_column = column < n;
  float sum = 0.0f;
  for (int k0 = 0; k0 < k; k0 += 16) {
    const float mine = has_row && k0 + tx < k ? a[row * k + k0 + tx] : 0.0f;
    tile[ty][tx] = has_column && k0 + ty < k ? b[(k0 + ty) * n + column] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; ++i) sum += __shfl_sync(0xffffffffu, mine, i, 16) * tile[i][tx];
    __syncthreads();
  }
  if (has_row && has_column) c[row * n + column] = sum;
}
