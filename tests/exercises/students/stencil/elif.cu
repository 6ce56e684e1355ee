// tests/exercises/students/stencil/elif.cu: by an author who knew only the text.
// Any 3 x 3 filter: just change the table.
__constant__ float weight[3][3] = {
    {0.0f, 0.125f, 0.0f}, {0.125f, 0.5f, 0.125f}, {0.0f, 0.125f, 0.0f}};

extern "C" __global__ void stencil(const float* __restrict__ x, float* __restrict__ y, int rows,
                                   int columns) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 4; ++k) {
    const int r = blockIdx.y * 32 + k * 8 + threadIdx.y;
    if (r >= rows || c >= columns) continue;
    const int i = r * columns + c;
    if (r == 0 || c == 0 || r == rows - 1 || c == columns - 1) {
      y[i] = x[i];
      continue;
    }
    float sum = 0.0f;
#pragma unroll
    for (int dr = -1; dr <= 1; ++dr)
#pragma unroll
      for (int dc = -1; dc <= 1; ++dc) sum += weight[dr + 1][dc + 1] * x[i + dr * columns + dc];
    y[i] = sum;
  }
}
