// tests/exercises/gemm/slow_only_a.cu: only A goes through shared memory.
extern "C" __global__ void gemm(const float* __restrict__ a,  // [m, k]
                                const float* __restrict__ b,  // [k, n]
                                float* __restrict__ c,        // [m, n]
                                int m, int n, int k) {
  __shared__ float ta[16][16];
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int begin = 0; begin < k; begin += 16) {
    const int i0 = begin + threadIdx.x;
    ta[threadIdx.y][threadIdx.x] = row < m && i0 < k ? a[row * k + i0] : 0;
    __syncthreads();
    for (int i = 0; i < 16; ++i)
      sum += ta[threadIdx.y][i] * (begin + i < k && column < n ? b[(begin + i) * n + column] : 0);
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}
