// tests/exercises/students/gemm/anna.cu: by an author who knew only the text.
// gemm.cu: C = A·B with tiles of 16 x 16 in shared memory.
extern "C" __global__ void gemm(const float* __restrict__ a,  // [m, k]
                                const float* __restrict__ b,  // [k, n]
                                float* __restrict__ c,        // [m, n]
                                int m, int n, int k) {
  __shared__ float tile_a[16][16], tile_b[16][16];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
  float sum = 0;
  for (int start = 0; start < k; start += 16) {
    tile_a[y][x] = row < m && start + x < k ? a[row * k + start + x] : 0.0f;
    tile_b[y][x] = start + y < k && column < n ? b[(start + y) * n + column] : 0.0f;
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += tile_a[y][i] * tile_b[i][x];
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}
