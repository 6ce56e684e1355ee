// tests/situations/order/barrier_in_branch.cu: a part of the block never comes to the barrier.
#include <cuda_runtime.h>

__global__ void halves(int* x) {
  __shared__ int s[128];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  if (t < 40) {
    s[t] += s[t + 64];
    __syncthreads();
  }
  x[t] = s[t];
}

int main() {
  int* x;
  cudaMalloc(&x, 128 * sizeof(int));
  cudaMemset(x, 0, 128 * sizeof(int));
  halves<<<1, 128>>>(x);
  cudaDeviceSynchronize();
}
