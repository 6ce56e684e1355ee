// tests/exercises/transpose/slow_strided_loads.cu: coalesced stores, and loads that are a row of x
// apart.
extern "C" __global__ void transpose(const float* __restrict__ x,  // [rows, columns]
                                     float* __restrict__ y,        // [columns, rows]
                                     int rows, int columns) {
  const int row = blockIdx.y * 32 + threadIdx.x;
  for (int k = threadIdx.y; k < 32; k += 8) {
    const int column = blockIdx.x * 32 + k;
    if (row < rows && column < columns) y[column * rows + row] = x[row * columns + column];
  }
}
