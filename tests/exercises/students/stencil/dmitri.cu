// tests/exercises/students/stencil/dmitri.cu: by an author who knew only the text.
// 34 x 34 tile in shared memory. All 256 threads load it as if it were one long array.
#define W 34
extern "C" __global__ void stencil(const float* __restrict__ x, float* __restrict__ y, int rows,
                                   int columns) {
  __shared__ float tile[W * W];
  int tid = threadIdx.y * 32 + threadIdx.x;
  int r0 = blockIdx.y * 32 - 1, c0 = blockIdx.x * 32 - 1;
  for (int p = tid; p < W * W; p += 256) {
    int r = r0 + p / W, c = c0 + p % W;
    if (r >= 0 && r < rows && c >= 0 && c < columns) tile[p] = x[r * columns + c];
  }
  __syncthreads();
  for (int k = 0; k < 32; k += 8) {
    int r = blockIdx.y * 32 + threadIdx.y + k, c = blockIdx.x * 32 + threadIdx.x;
    if (r >= rows || c >= columns) continue;
    int p = (threadIdx.y + k + 1) * W + threadIdx.x + 1;
    if (r == 0 || c == 0 || r == rows - 1 || c == columns - 1)
      y[r * columns + c] = tile[p];
    else
      y[r * columns + c] =
          0.5f * tile[p] + 0.125f * (tile[p - 1] + tile[p + 1] + tile[p - W] + tile[p + W]);
  }
}
