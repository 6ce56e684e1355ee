// tests/engine/planted_stalls/spill.cu: 64 sums per thread, and 32 registers to hold them.
extern "C" __global__ void __launch_bounds__(1024, 2)
    spill(const float* __restrict__ x, float* __restrict__ y, int n) {
  float sums[64];
#pragma unroll
  for (int k = 0; k < 64; ++k) sums[k] = k;
  float factor = threadIdx.x;
#pragma unroll 1
  for (int j = 0; j < 64; ++j) {
#pragma unroll
    for (int k = 0; k < 64; ++k) sums[k] = sums[k] * factor + sums[(k + 17) & 63];
    factor = factor * 0.5f + 1;
  }
  float all = 0;
#pragma unroll
  for (int k = 0; k < 64; ++k) all += sums[k] * x[k];
  y[(blockIdx.x * blockDim.x + threadIdx.x) & (n - 1)] = all;
}
