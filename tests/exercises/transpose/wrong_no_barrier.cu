// tests/exercises/transpose/wrong_no_barrier.cu: warps read the tile before others have filled it.
extern "C" __global__ void transpose(const float* __restrict__ x,  // [rows, columns]
                                     float* __restrict__ y,        // [columns, rows]
                                     int rows, int columns) {
  __shared__ float tile[32][33];
  for (int k = threadIdx.y; k < 32; k += 8) {
    const int row = blockIdx.y * 32 + k, column = blockIdx.x * 32 + threadIdx.x;
    if (row < rows && column < columns) tile[k][threadIdx.x] = x[row * columns + column];
  };
  for (int k = threadIdx.y; k < 32; k += 8) {
    const int row = blockIdx.y * 32 + threadIdx.x, column = blockIdx.x * 32 + k;
    if (row < rows && column < columns) y[column * rows + row] = tile[threadIdx.x][k];
  }
}
