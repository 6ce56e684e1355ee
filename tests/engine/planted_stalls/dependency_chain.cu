// tests/engine/planted_stalls/dependency_chain.cu: each multiply-add needs the one before it.
extern "C" __global__ void __launch_bounds__(32)
    dependency_chain(float* __restrict__ y, int n, float a, float b) {
  float sum = threadIdx.x;
#pragma unroll 1
  for (int j = 0; j < 256; ++j) {
#pragma unroll
    for (int q = 0; q < 32; ++q) sum = sum * a + b;
  }
  y[(blockIdx.x * blockDim.x + threadIdx.x) & (n - 1)] = sum;
}
