// tests/exercises/transpose/right_swizzle.cu: elements of a row are swapped among banks instead of
// padded.
extern "C" __global__ void transpose(const float* __restrict__ x,  // [rows, columns]
                                     float* __restrict__ y,        // [columns, rows]
                                     int rows, int columns) {
  __shared__ float tile[32][32];
  for (int k = threadIdx.y; k < 32; k += 8) {
    const int row = blockIdx.y * 32 + k, column = blockIdx.x * 32 + threadIdx.x;
    if (row < rows && column < columns) tile[k][threadIdx.x ^ k] = x[row * columns + column];
  }
  __syncthreads();
  for (int k = threadIdx.y; k < 32; k += 8) {
    const int row = blockIdx.y * 32 + threadIdx.x, column = blockIdx.x * 32 + k;
    if (row < rows && column < columns) y[column * rows + row] = tile[threadIdx.x][k ^ threadIdx.x];
  }
}
