// tests/exercises/transpose/wrong_no_guard.cu: loads and stores beyond the edges of the matrix.
extern "C" __global__ void transpose(const float* __restrict__ x,  // [rows, columns]
                                     float* __restrict__ y,        // [columns, rows]
                                     int rows, int columns) {
  __shared__ float tile[32][33];
  for (int k = threadIdx.y; k < 32; k += 8) {
    const int row = blockIdx.y * 32 + k, column = blockIdx.x * 32 + threadIdx.x;
    if (true) tile[k][threadIdx.x] = x[row * columns + column];
  }
  __syncthreads();
  for (int k = threadIdx.y; k < 32; k += 8) {
    const int row = blockIdx.y * 32 + threadIdx.x, column = blockIdx.x * 32 + k;
    if (true) y[column * rows + row] = tile[threadIdx.x][k];
  }
}
