// tests/situations/order/barrier_in_branch.cu: half of the block never comes to the barrier.
#include <cuda_runtime.h>

__global__ void halves(int* x) {
  __shared__ int s[128];
  int t = threadIdx.x;
  s[t] = x[t];
  if (t < 64) {
    s[t] += s[t + 64];
    __syncthreads();
    x[t] = s[63 - t];
  } else {
    x[t] = 0;
    return;
  }
  __syncthreads();
  x[t] += s[0];
}

int main() {
  int* x;
  cudaMalloc(&x, 128 * sizeof(int));
  cudaMemset(x, 0, 128 * sizeof(int));
  halves<<<1, 128>>>(x);
  cudaDeviceSynchronize();
}
