// tests/exercises/students/stencil/greta.cu: by an author who knew only the text.
extern "C" __global__ void stencil(const float* __restrict__ x, float* __restrict__ y, int rows,
                                   int columns) {
  int column = blockIdx.x * 32 + threadIdx.x;
  for (int k = 0; k < 32; k += 8) {
    int row = blockIdx.y * 32 + threadIdx.y + k;
    if (row < rows && column < columns) {
      int i = row * columns + column;
      if (row == 0 || column == 0 || row == rows - 1 || column == columns - 1)
        y[i] = x[i];
      else {
        float left = x[i - 1], right = x[i + 1];
        float above = x[i - columns], below = x[i + rows];
        y[i] = 0.5f * x[i] + 0.125f * (left + right + above + below);
      }
    }
  }
}
