// transpose.cu: y[c, r] = x[r, c], straight or by a tile of 32 × 32 words in shared memory.

#ifndef PAD
#define PAD 0
#endif

extern "C" __global__ void naive(const float* __restrict__ x,  // [rows, columns]
                                 float* __restrict__ y,        // [columns, rows]
                                 int rows, int columns) {
  const int c = blockIdx.x * 32 + threadIdx.x;
  for (int r = blockIdx.y * 32 + threadIdx.y;
       r < min(rows, (static_cast<int>(blockIdx.y) + 1) * 32); r += 8)
    if (c < columns)
      y[static_cast<long long>(c) * rows + r] = x[static_cast<long long>(r) * columns + c];
}

extern "C" __global__ void tiled(const float* __restrict__ x,  // [rows, columns]
                                 float* __restrict__ y,        // [columns, rows]
                                 int rows, int columns) {
  __shared__ float tile[32][32 + PAD];
  const int left = blockIdx.x * 32, top = blockIdx.y * 32;
  for (int i = threadIdx.y; i < 32; i += 8) {
    if (top + i < rows && left + threadIdx.x < columns)
      tile[i][threadIdx.x] = x[static_cast<long long>(top + i) * columns + left + threadIdx.x];
  }
  __syncthreads();
  for (int i = threadIdx.y; i < 32; i += 8) {
    if (left + i < columns && top + threadIdx.x < rows)
      y[static_cast<long long>(left + i) * rows + top + threadIdx.x] = tile[threadIdx.x][i];
  }
}
