// tests/exercises/students/gemm/ines.cu: by an author who knew only the text.
constexpr int TS = 16;  // tile size

extern "C" __global__ void gemm(const float* __restrict__ a, const float* __restrict__ b,
                                float* __restrict__ c, int m, int n, int k) {
  __shared__ float As[TS][TS], Bs[TS][TS];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * TS + ty, col = blockIdx.x * TS + tx;
  const int tiles = k / TS;
  float acc = 0.0f;
  for (int t = 0; t < tiles; ++t) {
    As[ty][tx] = row < m ? a[row * k + (t * TS + tx)] : 0.0f;
    Bs[ty][tx] = col < n ? b[(t * TS + ty) * n + col] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < TS; ++i) acc += As[ty][i] * Bs[i][tx];
    __syncthreads();
  }
  if (row < m && col < n) c[row * n + col] = acc;
}
