// tests/situations/memory/pitched_image.cu: a pitch in bytes is used as if it counted elements.
#include <cuda_runtime.h>

__global__ void brighten(float* image, size_t pitch, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  image[y * pitch + x] += 0.5f;
}

int main() {
  int width = 100, height = 60;
  float* image;
  size_t pitch;
  cudaMallocPitch(&image, &pitch, width * sizeof(float), height);
  cudaMemset2D(image, pitch, 0, width * sizeof(float), height);
  dim3 block(16, 16);
  dim3 grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
  brighten<<<grid, block>>>(image, pitch, width, height);
  cudaDeviceSynchronize();
}
