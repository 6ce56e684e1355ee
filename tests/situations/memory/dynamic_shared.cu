// tests/situations/memory/dynamic_shared.cu: the launch gives as many bytes of shared memory as the kernel needs elements.
#include <cuda_runtime.h>

__global__ void reverse(int* d, int n) {
  extern __shared__ int s[];
  int t = threadIdx.x;
  s[t] = d[t];
  __syncthreads();
  d[t] = s[n - t - 1];
}

int main() {
  const int n = 64;
  int a[n];
  for (int i = 0; i < n; i++) a[i] = i;
  int* d;
  cudaMalloc(&d, n * sizeof(int));
  cudaMemcpy(d, a, n * sizeof(int), cudaMemcpyHostToDevice);
  reverse<<<1, n, n>>>(d, n);
  cudaMemcpy(a, d, n * sizeof(int), cudaMemcpyDeviceToHost);
}
