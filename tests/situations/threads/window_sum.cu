// tests/situations/threads/window_sum.cu: the last block has 72 elements, and its right border stands after 128.
#include <cuda_runtime.h>
#define RADIUS 3
#define THREADS 128

__global__ void window_sums(const float* in, float* out, int n) {
  __shared__ float tile[THREADS + 2 * RADIUS];
  int i = blockIdx.x * THREADS + threadIdx.x, at = threadIdx.x + RADIUS;
  if (i < n) {
    tile[at] = in[i + RADIUS];
    if (threadIdx.x < RADIUS) {
      tile[at - RADIUS] = in[i];
      if (i + THREADS < n) tile[at + THREADS] = in[i + RADIUS + THREADS];
    }
  }
  __syncthreads();
  if (i >= n) return;
  float sum = 0;
  for (int k = -RADIUS; k <= RADIUS; ++k) sum += tile[at + k];
  out[i] = sum;
}

int main() {
  const int n = 200;
  float *in, *out;
  cudaMalloc(&in, (n + 2 * RADIUS) * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  window_sums<<<(n + THREADS - 1) / THREADS, THREADS>>>(in, out, n);
  cudaDeviceSynchronize();
}
