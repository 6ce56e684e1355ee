// tests/exercises/students/stencil/finn.cu: by an author who knew only the text.
extern "C" __global__ void stencil(const float* __restrict__ x, float* __restrict__ y, int rows,
                                   int columns) {
  __shared__ float tile[34][34];
  const int column = blockIdx.x * 32 + threadIdx.x;

  // load the tile and its margin
  for (int k = threadIdx.y; k < 34; k += 8) {
    const int row = blockIdx.y * 32 + k - 1;
    if (row >= 0 && row < rows) {
      if (column < columns) tile[k][threadIdx.x + 1] = x[row * columns + column];
      if (threadIdx.x == 0 && column > 0) tile[k][0] = x[row * columns + column - 1];
      if (threadIdx.x == 31 && column < columns - 1) tile[k][33] = x[row * columns + column + 1];
    }
  }

  // compute
  for (int k = threadIdx.y; k < 32; k += 8) {
    const int row = blockIdx.y * 32 + k;
    if (row >= rows || column >= columns) continue;
    float out = tile[k + 1][threadIdx.x + 1];
    if (!(row == 0 || column == 0 || row == rows - 1 || column == columns - 1))
      out = 0.5f * out + 0.125f * (tile[k + 1][threadIdx.x] + tile[k + 1][threadIdx.x + 2] +
                                   tile[k][threadIdx.x + 1] + tile[k + 2][threadIdx.x + 1]);
    y[row * columns + column] = out;
  }
}
