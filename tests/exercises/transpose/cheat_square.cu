// tests/exercises/transpose/cheat_square.cu: assumes a square matrix.
extern "C" __global__ void transpose(const float* __restrict__ x,  // [rows, columns]
                                     float* __restrict__ y,        // [columns, rows]
                                     int rows, int columns) {
  const int column = blockIdx.x * 32 + threadIdx.x;
  for (int k = threadIdx.y; k < 32; k += 8) {
    const int row = blockIdx.y * 32 + k;
    if (row < rows && column < columns) y[column * columns + row] = x[row * columns + column];
  }
}
