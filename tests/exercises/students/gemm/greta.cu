// tests/exercises/students/gemm/greta.cu: by an author who knew only the text.
extern "C" __global__ void gemm(const float* __restrict__ a, const float* __restrict__ b,
                                float* __restrict__ c, int m, int n, int k) {
  __shared__ float A[16][16], B[16][16];
  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int row = blockIdx.y * 16 + ty;
  int col = blockIdx.x * 16 + tx;
  float sum = 0.f;
  for (int t = 0; t < k; t += 16) {
    A[ty][tx] = (row < m && t + tx < k) ? a[row * k + t + tx] : 0.f;
    B[ty][tx] = (t + ty < k && col < n) ? b[(t + ty) * n + col] : 0.f;
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += A[ty][i] * B[tx][i];
    __syncthreads();
  }
  if (row < m && col < n) c[row * n + col] = sum;
}
