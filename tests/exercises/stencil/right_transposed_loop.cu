// tests/exercises/stencil/right_transposed_loop.cu: a thread takes four neighbouring rows.
extern "C" __global__ void stencil(const float* __restrict__ x,  // [rows, columns]
                                   float* __restrict__ y,        // [rows, columns]
                                   int rows, int columns) {
  for (int k = 0; k < 32; k += 8) {
    const int row = blockIdx.y * 32 + threadIdx.y * 4 + k / 8,
              column = blockIdx.x * 32 + threadIdx.x;
    if (row >= rows || column >= columns) continue;
    const int i = row * columns + column;
    if (row == 0 || column == 0 || row == rows - 1 || column == columns - 1) {
      y[i] = x[i];
    } else {
      y[i] = 0.5f * x[i] + 0.125f * (x[i - 1] + x[i + 1] + x[i - columns] + x[i + columns]);
    }
  }
}
