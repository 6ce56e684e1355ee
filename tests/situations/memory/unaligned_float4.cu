// tests/situations/memory/unaligned_float4.cu: rows of 1001 floats are read as float4, and every second row is not aligned.
#include <cuda_runtime.h>

__global__ void row_sums(const float* __restrict__ m, float* sums, int width) {
  const float4* row = reinterpret_cast<const float4*>(m + blockIdx.x * width);
  float sum = 0.f;
  for (int i = threadIdx.x; i < width / 4; i += 32) {
    float4 v = row[i];
    sum += v.x + v.y + v.z + v.w;
  }
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

int main() {
  const int height = 16, width = 1001;
  float *m, *sums;
  cudaMalloc((void**)&m, height * width * sizeof(float));
  cudaMemset(m, 0, height * width * sizeof(float));
  cudaMalloc((void**)&sums, height * sizeof(float));
  row_sums<<<height, 32>>>(m, sums, width);
  cudaDeviceSynchronize();
}
