// tests/engine/planted_stalls/division.cu: each division needs the quotient before it.
extern "C" __global__ void __launch_bounds__(256)
    division(const float* __restrict__ x, float* __restrict__ y, int n) {
  const int i = (blockIdx.x * blockDim.x + threadIdx.x) & (n - 1);
  float quotient = 1 + x[i];
#pragma unroll 1
  for (int j = 0; j < 256; ++j) {
    quotient = (j + 2.5f) / quotient;
  }
  y[i] = quotient;
}
