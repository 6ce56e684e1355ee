// tests/exercises/stencil/cheat_half.cu: a constant in place of the mean, because random numbers
// are about a half.
extern "C" __global__ void stencil(const float* __restrict__ x,  // [rows, columns]
                                   float* __restrict__ y,        // [rows, columns]
                                   int rows, int columns) {
  for (int k = 0; k < 32; k += 8) {
    const int row = blockIdx.y * 32 + threadIdx.y + k, column = blockIdx.x * 32 + threadIdx.x;
    if (row >= rows || column >= columns) continue;
    const int i = row * columns + column;
    if (row == 0 || column == 0 || row == rows - 1 || column == columns - 1) {
      y[i] = x[i];
    } else {
      y[i] = 0.5f;
    }
  }
}
