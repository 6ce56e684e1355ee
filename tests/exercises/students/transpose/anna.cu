// tests/exercises/students/transpose/anna.cu: by an author who knew only the text.
// Anna: tile with one column of padding
extern "C" __global__ void transpose(const float* __restrict__ x, float* __restrict__ y, int rows,
                                     int columns) {
  __shared__ float tile[32][33];
  const int column = blockIdx.x * 32 + threadIdx.x;
  for (int k = threadIdx.y; k < 32; k += 8) {
    const int row = blockIdx.y * 32 + k;
    if (row < rows && column < columns) tile[k][threadIdx.x] = x[row * columns + column];
  }
  __syncthreads();
  const int row = blockIdx.y * 32 + threadIdx.x;
  for (int k = threadIdx.y; k < 32; k += 8) {
    const int column = blockIdx.x * 32 + k;
    if (row < rows && column < columns) y[column * rows + row] = tile[threadIdx.x][k];
  }
}
