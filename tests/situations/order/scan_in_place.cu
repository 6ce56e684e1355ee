// tests/situations/order/scan_in_place.cu: a scan reads and writes one array between two barriers.
#include <cuda_runtime.h>

__global__ void scan(float* x) {
  __shared__ float s[512];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  for (int d = 1; d < 512; d *= 2) {
    if (t >= d) s[t] += s[t - d];
    __syncthreads();
  }
  x[t] = s[t];
}

int main() {
  float* x;
  cudaMalloc(&x, 512 * sizeof(float));
  cudaMemset(x, 0, 512 * sizeof(float));
  scan<<<1, 512>>>(x);
  cudaDeviceSynchronize();
}
