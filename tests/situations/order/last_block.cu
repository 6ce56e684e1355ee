// tests/situations/order/last_block.cu: the block that ends last adds the sums of all 4096 blocks.
#include <cuda_runtime.h>

__device__ unsigned int ended;

__global__ void total(const int* x, volatile int* sums, int* result, int n) {
  __shared__ bool last;
  int i = blockIdx.x * blockDim.x + threadIdx.x, v = i < n ? x[i] : 0;
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = v;
    __threadfence();
    last = atomicInc(&ended, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  v = 0;
  for (int b = threadIdx.x; b < gridDim.x; b += 32) v += sums[b];
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
  if (threadIdx.x == 0) result[1] = v;
}

int main() {
  const int blocks = 4096, n = blocks * 32;
  int *x, *sums, *result;
  cudaMallocManaged(&x, n * sizeof(int));
  for (int i = 0; i < n; ++i) x[i] = 1;
  cudaMalloc(&sums, blocks * sizeof(int));
  cudaMalloc(&result, sizeof(int));
  total<<<blocks, 32>>>(x, sums, result, n);
  cudaDeviceSynchronize();
}
