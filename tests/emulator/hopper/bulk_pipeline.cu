// tests/emulator/hopper/bulk_pipeline.cu: C = A · Bᵀ of e4m3 by a warp that copies and two
// warpgroups that multiply 64 rows each with one tile of B. Memory holds tiles of 64 × 128 bytes as
// shared memory will: swizzled by 128 bytes, one after the other along k.
#include "../tests/emulator/hopper/wgmma.cuh"

constexpr int kStages = 2, kTileBytes = 64 * 128;

extern "C" __global__ void __launch_bounds__(288)
    bulk_pipeline(const unsigned char* __restrict__ a,  // m / 64 × k / 128 tiles
                  const unsigned char* __restrict__ b,  // n / 64 × k / 128 tiles
                  float* __restrict__ c, int n, int tiles) {
  extern __shared__ __align__(1024) unsigned char ring[];  // of each stage two of A, one of B
  __shared__ __align__(8) unsigned long long full[kStages], empty[kStages];
  if (threadIdx.x == 0) ring_init(shared_address(full), shared_address(empty), kStages, 2);
  __syncthreads();
  if (threadIdx.x >= 256) {
    if (threadIdx.x > 256) return;
    for (int tile = 0; tile < tiles; ++tile) {
      const int stage = tile % kStages;
      const unsigned to = shared_address(ring) + stage * 3 * kTileBytes;
      if (tile >= kStages) barrier_wait(shared_address(empty + stage), (tile / kStages - 1) % 2);
      barrier_arrive_expecting(shared_address(full + stage), 3 * kTileBytes);
      for (int part = 0; part < 3; ++part) {
        const long long row = part < 2 ? 2 * blockIdx.y + part : blockIdx.x;
        copy_bytes(to + part * kTileBytes, (part < 2 ? a : b) + (row * tiles + tile) * kTileBytes,
                   kTileBytes, shared_address(full + stage));
      }
    }
    return;
  }
  const int group = threadIdx.x / 128;
  float d[32];
  for (int i = 0; i < 32; ++i) d[i] = 0;
  hold(d);
  for (int tile = 0; tile < tiles; ++tile) {
    const int stage = tile % kStages;
    barrier_wait(shared_address(full + stage), tile / kStages % 2);
    const unsigned tile_a = shared_address(ring) + (stage * 3 + group) * kTileBytes;
    const unsigned tile_b = shared_address(ring) + (stage * 3 + 2) * kTileBytes;
    warpgroup_fence();
    for (int step = 0; step < 128; step += 32) {
      PRODUCT_SHARED("+f", "m64n64k32.f32.e4m3.e4m3", ", 1, 1", d,
                     descriptor(tile_a + step, 16, 1024, 128),
                     descriptor(tile_b + step, 16, 1024, 128), tile + step);
    }
    warpgroup_commit();
    warpgroup_wait<0>();
    if (threadIdx.x % 128 == 0) barrier_arrive(shared_address(empty + stage));
  }
  hold(d);
  store_tile(c, n, blockIdx.y * 128, blockIdx.x * 64, threadIdx.x, d);
}
