// tests/exercises/stencil/right_shared.cu: a tile with a margin in shared memory.
extern "C" __global__ void stencil(const float* __restrict__ x,  // [rows, columns]
                                   float* __restrict__ y,        // [rows, columns]
                                   int rows, int columns) {
  __shared__ float tile[34][34];
  const int row0 = blockIdx.y * 32 - 1, column0 = blockIdx.x * 32 - 1;
  for (int k = threadIdx.y; k < 34; k += 8) {
    for (int j = threadIdx.x; j < 34; j += 32) {
      const int row = row0 + k, column = column0 + j;
      const bool inside = row >= 0 && row < rows && column >= 0 && column < columns;
      tile[k][j] = inside ? x[row * columns + column] : 0;
    }
  }
  __syncthreads();
  const int column = blockIdx.x * 32 + threadIdx.x, j = threadIdx.x + 1;
  for (int k = threadIdx.y + 1; k <= 32; k += 8) {
    const int row = row0 + k;
    if (row >= rows || column >= columns) continue;
    const bool edge = row == 0 || column == 0 || row == rows - 1 || column == columns - 1;
    const float sum = tile[k][j - 1] + tile[k][j + 1] + tile[k - 1][j] + tile[k + 1][j];
    y[row * columns + column] = edge ? tile[k][j] : 0.5f * tile[k][j] + 0.125f * sum;
  }
}
