// tests/situations/threads/pixel_tiles.cu: a reduction for 256 threads in a row serves blocks of 16 by 16 threads.
#include <cub/block/block_reduce.cuh>
#include <cuda_runtime.h>
constexpr int kSide = 16;

__global__ void sum_of_tile(const unsigned* pixels, unsigned* sums, int width) {
  using Reduce = cub::BlockReduce<unsigned, kSide * kSide>;
  __shared__ typename Reduce::TempStorage storage;
  int x = blockIdx.x * kSide + threadIdx.x, y = blockIdx.y * kSide + threadIdx.y;
  unsigned sum = Reduce(storage).Sum(pixels[y * width + x]);
  if (threadIdx.x == 0 && threadIdx.y == 0) sums[blockIdx.y * gridDim.x + blockIdx.x] = sum;
}

int main() {
  const int width = 64, height = 48;
  unsigned *pixels, *sums;
  cudaMalloc(&pixels, width * height * sizeof(unsigned));
  cudaMalloc(&sums, (width / kSide) * (height / kSide) * sizeof(unsigned));
  sum_of_tile<<<dim3(width / kSide, height / kSide), dim3(kSide, kSide)>>>(pixels, sums, width);
  cudaDeviceSynchronize();
}
