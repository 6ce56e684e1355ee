// tests/situations/public/c04_scan_loop.cu: positions of valid values, batch after batch, with one scan storage.
#include <cub/cub.cuh>
#include <cuda_runtime.h>
#include <cstdint>

constexpr int kThreads = 128;

template <int THREADS>
__global__ void place_valid(const uint8_t* valid, int* position, int* total, int count) {
  using Scan = cub::BlockScan<int, THREADS, cub::BLOCK_SCAN_WARP_SCANS>;
  __shared__ typename Scan::TempStorage storage;
  int base = 0;
  for (int begin = 0; begin < count; begin += THREADS) {
    const int i = begin + threadIdx.x;
    const int is = i < count ? valid[i] : 0;
    int before, all;
    Scan(storage).ExclusiveSum(is, before, all);
    if (i < count) position[i] = is ? base + before : -1;
    base += all;
  }
  if (threadIdx.x == 0) *total = base;
}

int main() {
  uint8_t* valid;
  int *position, *total;
  const int count = 1000;
  cudaMalloc(&valid, count);
  cudaMalloc(&position, count * 4);
  cudaMalloc(&total, 4);
  place_valid<kThreads><<<1, kThreads>>>(valid, position, total, count);
  return cudaDeviceSynchronize();
}
