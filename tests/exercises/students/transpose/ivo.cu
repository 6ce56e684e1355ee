// tests/exercises/students/transpose/ivo.cu: by an author who knew only the text.
// A tile that has been transposed once need not be transposed again.
__device__ int done[128 * 128];

extern "C" __global__ void transpose(const float* __restrict__ x, float* __restrict__ y, int rows,
                                     int columns) {
  __shared__ float tile[32][33];
  const int id = blockIdx.y * 128 + blockIdx.x;
  if (done[id]) return;  // the same for the whole block: nobody sets it before the barrier
  const int column = blockIdx.x * 32 + threadIdx.x;
  for (int k = threadIdx.y; k < 32; k += 8) {
    const int row = blockIdx.y * 32 + k;
    if (row < rows && column < columns) tile[k][threadIdx.x] = x[row * columns + column];
  }
  __syncthreads();
  const int row = blockIdx.y * 32 + threadIdx.x;
  for (int k = threadIdx.y; k < 32; k += 8) {
    const int c = blockIdx.x * 32 + k;
    if (row < rows && c < columns) y[c * rows + row] = tile[threadIdx.x][k];
  }
  if (threadIdx.x == 0 && threadIdx.y == 0) done[id] = 1;
}
