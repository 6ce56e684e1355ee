// tests/emulator/hopper/histogram.cu: a histogram whose bins are spread over the shared memory of a
// cluster.
#include "../tests/emulator/hopper/cluster.cuh"

constexpr int kOwnBins = 256;  // of a block; a cluster has that many for each of its blocks

// Launch: clusters of 1 to 8 blocks of 128 threads; values below kOwnBins · blocks of a cluster.
extern "C" __global__ void histogram(const int* __restrict__ values, unsigned* __restrict__ bins,
                                     int n) {
  __shared__ unsigned own[kOwnBins];
  for (int b = threadIdx.x; b < kOwnBins; b += blockDim.x) own[b] = 0;
  cluster_sync();
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    const int value = values[i];
    add_to(mapped(shared_address(own + value % kOwnBins), value / kOwnBins), 1u);
  }
  cluster_sync();
  for (int b = threadIdx.x; b < kOwnBins; b += blockDim.x) {
    atomicAdd(bins + cluster_rank() * kOwnBins + b, own[b]);
  }
}
