// tests/exercises/stencil/slow_mixed.cu: along a row where it only copies, and down a column
// elsewhere.
extern "C" __global__ void stencil(const float* __restrict__ x,  // [rows, columns]
                                   float* __restrict__ y,        // [rows, columns]
                                   int rows, int columns) {
  for (int k = 0; k < 32; k += 8) {
    const int row = blockIdx.y * 32 + (threadIdx.y + k) % 8 * 4 + threadIdx.x % 4,
              column = blockIdx.x * 32 + (threadIdx.y + k) / 8 * 8 + threadIdx.x / 4;
    if (row >= rows || column >= columns) continue;
    const int i = row * columns + column;
    if (row == 0 || column == 0 || row == rows - 1 || column == columns - 1) {
      y[i] = x[i];
    } else {
      y[i] = 0.5f * x[i] + 0.125f * (x[i - 1] + x[i + 1] + x[i - columns] + x[i + columns]);
    }
  }
}
