// tests/engine/planted_stalls/barrier_imbalance.cu: one of eight warps works, the others wait for
// it at a barrier.
extern "C" __global__ void __launch_bounds__(256)
    barrier_imbalance(float* __restrict__ y, int n, float a, float b) {
  float sum = threadIdx.x;
#pragma unroll 1
  for (int j = 0; j < 8; ++j) {
    if (threadIdx.x < 32) {
#pragma unroll 4
      for (int q = 0; q < 512; ++q) sum = sum * a + b;
    }
    __syncthreads();
  }
  y[(blockIdx.x * blockDim.x + threadIdx.x) & (n - 1)] = sum;
}
