// tests/exercises/students/gemm/dmitri.cu: by an author who knew only the text.
// +1 = padding against bank conflicts (see lecture 5)
extern "C" __global__ void gemm(const float* __restrict__ a, const float* __restrict__ b,
                                float* __restrict__ c, int m, int n, int k) {
  __shared__ float As[16][16 + 1];
  __shared__ float Bs[16][16 + 1];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  float sum = 0.0f;
  for (int t = 0; t < (k + 15) / 16; ++t) {
    int ka = t * 16 + tx, kb = t * 16 + ty;
    As[ty][tx] = (row < m && ka < k) ? a[row * k + ka] : 0.0f;
    Bs[ty][tx] = (kb < k && col < n) ? b[kb * n + col] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; ++i) sum += As[ty][i] * Bs[i][tx];
    __syncthreads();
  }
  if (row < m && col < n) c[row * n + col] = sum;
}
