// tests/situations/memory/image_by_value.cu: an image is passed as a structure, and its rows are as long as it is high.
#include <cuda_runtime.h>

struct Image {
  unsigned char* pixels;
  int width, height;
  float gamma;
};

__global__ void invert(Image image) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < image.width && y < image.height) {
    unsigned char* p = image.pixels + x * image.width + y;
    *p = 255 - *p;
  }
}

int main() {
  Image image;
  image.width = 96;
  image.height = 64;
  image.gamma = 1.f;
  cudaMalloc(&image.pixels, image.width * image.height);
  cudaMemset(image.pixels, 7, image.width * image.height);
  invert<<<dim3(6, 4), dim3(16, 16)>>>(image);
  cudaDeviceSynchronize();
}
