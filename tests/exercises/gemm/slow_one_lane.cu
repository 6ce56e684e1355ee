// tests/exercises/gemm/slow_one_lane.cu: lanes load one after another.
extern "C" __global__ void gemm(const float* __restrict__ a,  // [m, k]
                                const float* __restrict__ b,  // [k, n]
                                float* __restrict__ c,        // [m, n]
                                int m, int n, int k) {
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (int lane = 0; lane < 16; ++lane) {
    if (threadIdx.x != lane) continue;
    for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
  }
  c[row * n + column] = sum;
}
