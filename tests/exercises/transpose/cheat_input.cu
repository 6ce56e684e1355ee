// tests/exercises/transpose/cheat_input.cu: transposes in place, and writes over the input.
extern "C" __global__ void transpose(const float* __restrict__ x,  // [rows, columns]
                                     float* __restrict__ y,        // [columns, rows]
                                     int rows, int columns) {
  float* all = const_cast<float*>(x);
  const int column = blockIdx.x * 32 + threadIdx.x;
  for (int k = threadIdx.y; k < 32; k += 8) {
    const int row = blockIdx.y * 32 + k;
    if (row < rows && column < columns) {
      y[column * rows + row] = x[row * columns + column];
      all[row * columns + column] = 0;
    }
  }
}
