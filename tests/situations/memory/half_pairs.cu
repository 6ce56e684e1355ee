// tests/situations/memory/half_pairs.cu: an odd number of halves is read in pairs.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void axpy(__half a, const __half* x, __half* y, int n) {
  const __half2* x2 = reinterpret_cast<const __half2*>(x);
  __half2* y2 = reinterpret_cast<__half2*>(y);
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (2 * i < n) y2[i] = __hfma2(__half2half2(a), x2[i], y2[i]);
}

int main() {
  const int n = 1001;
  __half *x, *y;
  cudaMalloc(&x, n * sizeof(__half));
  cudaMalloc(&y, n * sizeof(__half));
  cudaMemset(y, 0, n * sizeof(__half));
  axpy<<<(n / 2 + 256) / 256, 256>>>(__float2half(2.0f), x, y, n);
  cudaDeviceSynchronize();
}
