// tests/exercises/gemm/right_two_tiles.cu: two pairs of tiles in turn.
extern "C" __global__ void gemm(const float* __restrict__ a,  // [m, k]
                                const float* __restrict__ b,  // [k, n]
                                float* __restrict__ c,        // [m, n]
                                int m, int n, int k) {
  __shared__ float ta[2][16][16], tb[2][16][16];
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int begin = 0; begin < k; begin += 16) {
    const int i0 = begin + threadIdx.x, j0 = begin + threadIdx.y;
    ta[begin / 16 % 2][threadIdx.y][threadIdx.x] = row < m && i0 < k ? a[row * k + i0] : 0;
    tb[begin / 16 % 2][threadIdx.y][threadIdx.x] = j0 < k && column < n ? b[j0 * n + column] : 0;
    __syncthreads();
    for (int i = 0; i < 16; ++i)
      sum += ta[begin / 16 % 2][threadIdx.y][i] * tb[begin / 16 % 2][i][threadIdx.x];
  }
  if (row < m && column < n) c[row * n + column] = sum;
}
