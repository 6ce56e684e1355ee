// tests/emulator/hopper/cluster_sum.cu: the sum of each row by a cluster, whose blocks read each
// other's partial sums through cooperative groups.
#include <cooperative_groups.h>

namespace groups = cooperative_groups;

// A row for each cluster of 8 blocks of 128 threads.
extern "C" __global__ void __cluster_dims__(8, 1, 1)
    cluster_sum(const float* __restrict__ rows, float* __restrict__ sums, int columns) {
  __shared__ float parts[4];
  __shared__ float block_sum;
  groups::cluster_group cluster = groups::this_cluster();
  const unsigned rank = cluster.block_rank(), blocks = cluster.num_blocks();
  const int row = blockIdx.x / blocks;
  float sum = 0;
  for (int i = rank * blockDim.x + threadIdx.x; i < columns; i += blocks * blockDim.x) {
    sum += rows[static_cast<long long>(row) * columns + i];
  }
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) block_sum = parts[0] + parts[1] + parts[2] + parts[3];
  cluster.sync();
  if (rank == 0 && threadIdx.x < 32) {
    float all = threadIdx.x < blocks ? *cluster.map_shared_rank(&block_sum, threadIdx.x) : 0;
    for (int step = 16; step > 0; step /= 2) all += __shfl_down_sync(~0u, all, step);
    if (threadIdx.x == 0) sums[row] = all;
  }
  cluster.sync();  // until then the others' shared memory is read
}
