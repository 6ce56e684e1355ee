// tests/emulator/hopper/bulk_store.cu: y = 2 x through a ring of tiles: bulk copies bring them and
// bulk copies take them away.
#include "../tests/emulator/hopper/cluster.cuh"

constexpr int kTile = 512, kStages = 2;  // floats

// A block of 128 threads has `tiles` tiles side by side.
extern "C" __global__ void bulk_store(const float* __restrict__ x, float* __restrict__ y,
                                      int tiles) {
  __shared__ alignas(128) float in[kStages][kTile], out[kStages][kTile];
  __shared__ alignas(8) unsigned long long barriers[kStages];
  const unsigned full = shared_address(barriers);
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) barrier_init(full + 8 * s, 1);
    barrier_init_fence();
  }
  __syncthreads();
  const long long first = static_cast<long long>(blockIdx.x) * tiles * kTile;
  const auto load = [&](int t) {
    barrier_arrive_expecting(full + 8 * (t % kStages), kTile * 4);
    copy_bytes(shared_address(in[t % kStages]), x + first + t * kTile, kTile * 4,
               full + 8 * (t % kStages));
  };
  if (threadIdx.x == 0) load(0);
  for (int t = 0; t < tiles; ++t) {
    const int stage = t % kStages;
    if (threadIdx.x == 0) {
      if (t + 1 < tiles) load(t + 1);
      wait_until_read<kStages - 1>();  // of the tile that was here before
    }
    barrier_wait(full + 8 * stage, t / kStages & 1);
    __syncthreads();
    for (int i = threadIdx.x; i < kTile; i += blockDim.x) out[stage][i] = 2 * in[stage][i];
    copies_see();
    __syncthreads();
    if (threadIdx.x == 0) {
      store_bytes(y + first + t * kTile, shared_address(out[stage]), kTile * 4);
      commit_stores();
    }
  }
  if (threadIdx.x == 0) wait_until_stored();
}
