// tests/situations/threads/softmax_fours.cu: 1022 numbers are read four at a time, and nobody cares for the last two.
#include <cuda_runtime.h>

__global__ void exponents(const float* x, float* y, float* sum, int n) {
  int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  float total = 0;
  if (i < n) {
    float4 v = *reinterpret_cast<const float4*>(x + i);
    v = make_float4(expf(v.x), expf(v.y), expf(v.z), expf(v.w));
    *reinterpret_cast<float4*>(y + i) = v;
    total = v.x + v.y + v.z + v.w;
  }
  for (int d = 16; d > 0; d /= 2) total += __shfl_down_sync(0xffffffff, total, d);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, total);
}

int main() {
  const int n = 1022;
  float *x, *y, *sum;
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&y, n * sizeof(float));
  cudaMalloc(&sum, sizeof(float));
  cudaMemset(sum, 0, sizeof(float));
  exponents<<<(n / 4 + 127) / 128, 128>>>(x, y, sum, n);
  cudaDeviceSynchronize();
}
