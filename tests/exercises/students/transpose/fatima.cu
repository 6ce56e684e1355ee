// tests/exercises/students/transpose/fatima.cu: by an author who knew only the text.
extern "C" __global__ void transpose(const float* __restrict__ x, float* __restrict__ y, int rows,
                                     int columns) {
  __shared__ float tile[32][32 + 1];
  const int tx = threadIdx.x;
  const int c = blockIdx.x * 32 + tx;
  for (int k = threadIdx.y; k < 32; k += 8) {
    const int r = blockIdx.y * 32 + k;
    if (r < rows && c < columns) tile[k][tx] = x[r * columns + c];
  }
  // now the other way round
  const int r = blockIdx.y * 32 + tx;
  for (int k = threadIdx.y; k < 32; k += 8) {
    const int cc = blockIdx.x * 32 + k;
    if (r < rows && cc < columns) y[cc * rows + r] = tile[tx][k];
  }
}
