// tests/situations/threads/membrane.cu: one launch takes several time steps, and blocks read what others write.
#include <cuda_runtime.h>
#include <vector>
#define SIDE 16

__global__ void steps(float* before, float* now, float* next, int width, int height, int count) {
  int x = blockIdx.x * SIDE + threadIdx.x, y = blockIdx.y * SIDE + threadIdx.y;
  bool inside = x > 0 && y > 0 && x < width - 1 && y < height - 1;
  for (int s = 0; s < count; ++s) {
    int i = y * width + x;
    if (inside) {
      float around = now[i - 1] + now[i + 1] + now[i - width] + now[i + width];
      next[i] = 2 * now[i] - before[i] + 0.1f * (around - 4 * now[i]);
    }
    __syncthreads();
    float* oldest = before;
    before = now;
    now = next;
    next = oldest;
  }
}

int main() {
  int width = 64, height = 64;
  size_t bytes = width * height * sizeof(float);
  float *before, *now, *next;
  cudaMalloc(&before, bytes);
  cudaMalloc(&now, bytes);
  cudaMalloc(&next, bytes);
  std::vector<float> host(width * height);
  for (int i = 0; i < width * height; ++i) host[i] = i % 7;
  cudaMemcpy(before, host.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(now, host.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemset(next, 0, bytes);
  steps<<<dim3(width / SIDE, height / SIDE), dim3(SIDE, SIDE)>>>(before, now, next, width, height, 3);
  cudaDeviceSynchronize();
}
