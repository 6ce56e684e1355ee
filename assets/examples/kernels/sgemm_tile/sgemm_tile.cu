// sgemm_tile.cu: C = A·B, one lane per element, straight from memory or by 16 × 16 tiles.

extern "C" __global__ void naive(const float* __restrict__ a,  // [m, k]
                                 const float* __restrict__ b,  // [k, n]
                                 float* __restrict__ c,        // [m, n]
                                 int m, int n, int k) {
  const int column = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
  c[row * n + column] = sum;
}

extern "C" __global__ void tiled(const float* __restrict__ a,  // [m, k]
                                 const float* __restrict__ b,  // [k, n]
                                 float* __restrict__ c,        // [m, n]
                                 int m, int n, int k) {
  __shared__ float left[16][16], right[16][16];
  const int x = threadIdx.x, y = threadIdx.y;
  const int column = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
  float sum = 0;
  for (int begin = 0; begin < k; begin += 16) {
    left[y][x] = row < m && begin + x < k ? a[row * k + begin + x] : 0;
    right[y][x] = begin + y < k && column < n ? b[(begin + y) * n + column] : 0;
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += left[y][i] * right[i][x];
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}

extern "C" __global__ void exact(const float* a, const float* b, double* reference,
                                 double* accumulation, int m, int n, int k) {
  const int column = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  if (row >= m || column >= n) return;
  double sum = 0, magnitude = 0;
  for (int i = 0; i < k; ++i) {
    const double term = static_cast<double>(a[row * k + i]) * b[i * n + column];
    sum += term;
    magnitude += fabs(term);
  }
  reference[row * n + column] = sum;
  accumulation[row * n + column] = magnitude * sqrt(static_cast<double>(k));
}
