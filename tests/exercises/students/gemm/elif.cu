// tests/exercises/students/gemm/elif.cu: by an author who knew only the text.
// Tiled, with a compensated sum (Neumaier), because float sums lose digits.
extern "C" __global__ void gemm(const float* __restrict__ a, const float* __restrict__ b,
                                float* __restrict__ c, int m, int n, int k) {
  __shared__ float ta[16][16];
  __shared__ float tb[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * 16 + ty, column = blockIdx.x * 16 + tx;
  float sum = 0.0f, lost = 0.0f;
  for (int k0 = 0; k0 < k; k0 += 16) {
    ta[ty][tx] = row < m && k0 + tx < k ? a[row * k + k0 + tx] : 0.0f;
    tb[ty][tx] = column < n && k0 + ty < k ? b[(k0 + ty) * n + column] : 0.0f;
    __syncthreads();
#pragma unroll 1
    for (int i = 0; i < 16; ++i) {
      const float p = __fmul_rn(ta[ty][i], tb[i][tx]);
      const float t = __fadd_rn(sum, p);
      if (fabsf(sum) >= fabsf(p)) {
        lost = __fadd_rn(lost, __fadd_rn(__fsub_rn(sum, t), p));
      } else {
        lost = __fadd_rn(lost, __fadd_rn(__fsub_rn(p, t), sum));
      }
      sum = t;
    }
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum + lost;
}
