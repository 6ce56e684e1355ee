// tests/emulator/hopper/stream_k.cu: C = A · B of f32, the steps of all tiles of a cluster dealt
// evenly to its blocks; who ends a part of a tile adds it to the shared memory of the tile's owner.
#include "../tests/emulator/hopper/cluster.cuh"

constexpr int kTile = 16, kStep = 8;  // of C, and along k

// A cluster has `tiles` tiles side by side along n, as many as blocks; 256 threads. Tile t belongs
// to the block of rank t.
extern "C" __global__ void stream_k(const float* __restrict__ a,  // m × k
                                    const float* __restrict__ b,  // k × n
                                    float* __restrict__ c,        // m × n
                                    int n, int k) {
  __shared__ float sums[kTile][kTile];
  __shared__ float part_a[kTile][kStep], part_b[kStep][kTile];
  const int row = threadIdx.x / kTile, column = threadIdx.x % kTile;
  const int rank = cluster_rank(), blocks = cluster_size();
  const int first_row = blockIdx.y * kTile, first_tile = blockIdx.x / blocks * blocks;
  sums[row][column] = 0;
  cluster_sync();
  const int tile_steps = (k + kStep - 1) / kStep, steps = blocks * tile_steps;
  const int mine = (steps + blocks - 1) / blocks;
  const int shift = tile_steps / 3;  // so that shares do not end where tiles do
  for (int s = 0; s < mine;) {
    const int at = (rank * mine + s + shift) % steps;
    const int tile = at / tile_steps, last = min(mine - s, tile_steps - at % tile_steps);
    float sum = 0;
    for (int j = 0; j < last; ++j) {
      const int from = (at % tile_steps + j) * kStep;
      if (threadIdx.x < kTile * kStep) {
        const int r = threadIdx.x / kStep, x = threadIdx.x % kStep;
        part_a[r][x] = from + x < k ? a[(first_row + r) * k + from + x] : 0;
      } else {
        const int r = (threadIdx.x - kTile * kStep) / kTile, x = threadIdx.x % kTile;
        part_b[r][x] = from + r < k ? b[(from + r) * n + (first_tile + tile) * kTile + x] : 0;
      }
      __syncthreads();
#pragma unroll
      for (int x = 0; x < kStep; ++x) sum += part_a[row][x] * part_b[x][column];
      __syncthreads();
    }
    add_to(mapped(shared_address(&sums[row][column]), tile), sum);
    s += last;
  }
  cluster_sync();
  c[(first_row + row) * n + (first_tile + rank) * kTile + column] = sums[row][column];
}
