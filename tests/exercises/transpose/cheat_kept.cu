// tests/exercises/transpose/cheat_kept.cu: keeps the first result, and stores it again in the next
// run.
__device__ float kept[128 * 160];
__device__ int filled[128 * 160];
extern "C" __global__ void transpose(const float* __restrict__ x,  // [rows, columns]
                                     float* __restrict__ y,        // [columns, rows]
                                     int rows, int columns) {
  __shared__ float tile[32][33];
  for (int k = threadIdx.y; k < 32; k += 8) {
    const int row = blockIdx.y * 32 + k, column = blockIdx.x * 32 + threadIdx.x;
    if (row < rows && column < columns) tile[k][threadIdx.x] = x[row * columns + column];
  }
  __syncthreads();
  for (int k = threadIdx.y; k < 32; k += 8) {
    const int row = blockIdx.y * 32 + threadIdx.x, column = blockIdx.x * 32 + k;
    if (row < rows && column < columns && column * rows + row < 128 * 160) {
      const int i = column * rows + row;
      if (!filled[i]) kept[i] = tile[threadIdx.x][k];
      filled[i] = 1;
      y[i] = kept[i];
    }
  }
}
