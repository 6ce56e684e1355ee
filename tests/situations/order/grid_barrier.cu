// tests/situations/order/grid_barrier.cu: 64 blocks that are resident together wait for each other by a counter.
#include <cuda_runtime.h>

__device__ int arrived;

__global__ void two_phases(float* a, float* b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = i;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(&arrived, 1);
    while (atomicAdd(&arrived, 0) < gridDim.x) {}
  }
  __syncthreads();
  for (int k = 0; k < 3000; ++k) b[i] = a[n - 1 - i] + k;
}

int main() {
  const int n = 64 * 256;
  float *a, *b;
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&b, n * sizeof(float));
  two_phases<<<64, 256>>>(a, b, n);
  cudaDeviceSynchronize();
}
