// tests/situations/memory/unset_shared.cu: the threads of the last warp add partial sums that nobody wrote.
#include <cuda_runtime.h>

__global__ void block_sum(const float* x, float* sums, int n) {
  __shared__ float partial[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i < n ? x[i] : 0.f;
  for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(~0u, v, d);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x < 32) {
    v = partial[threadIdx.x];
    for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(~0u, v, d);
    if (threadIdx.x == 0) sums[blockIdx.x] = v;
  }
}

int main() {
  const int n = 4096, threads = 256;
  float *x, *sums;
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&sums, n / threads * sizeof(float));
  block_sum<<<n / threads, threads>>>(x, sums, n);
  cudaDeviceSynchronize();
}
