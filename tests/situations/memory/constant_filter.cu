// tests/situations/memory/constant_filter.cu: a filter of nine constants is read with a radius that is one too large.
#include <cuda_runtime.h>
#define RADIUS 4

__constant__ float filter[2 * RADIUS + 1];

__global__ void convolve(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int k = -RADIUS; k <= RADIUS + 1; ++k) {
    int at = min(max(i + k, 0), n - 1);
    sum += in[at] * filter[k + RADIUS];
  }
  out[i] = sum;
}

int main() {
  const int n = 2048;
  float h[2 * RADIUS + 1];
  for (int i = 0; i < 2 * RADIUS + 1; i++) h[i] = 1.0f / 9;
  cudaMemcpyToSymbol(filter, h, sizeof(h));
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  convolve<<<n / 128, 128>>>(in, out, n);
  cudaDeviceSynchronize();
}
