// tests/emulator/hopper/pipeline.cu: C = A · Bᵀ of f16 by one warpgroup that copies boxes of
// tensors and one that multiplies, over a ring of stages. A box is 8 of k by 64 rows: a column of
// core matrices, so that tiles need no swizzle.
#include "../tests/emulator/hopper/wgmma.cuh"

constexpr int kStages = 3, kDepth = 64, kBoxes = kDepth / 8, kTileBytes = 64 * kDepth * 2;

extern "C" __global__ void __launch_bounds__(256, 1)
    pipeline(const __grid_constant__ TensorMap a,  // m × k, boxes of 64 × 8
             const __grid_constant__ TensorMap b,  // n × k, boxes of 64 × 8
             float* __restrict__ c, int n, int k) {
  extern __shared__ __align__(1024) unsigned char ring[];  // of each stage A, then B
  __shared__ __align__(8) unsigned long long full[kStages], empty[kStages];
  if (threadIdx.x == 0) {
    ring_init(shared_address(full), shared_address(empty), kStages, 1);
  }
  __syncthreads();
  const int tiles = k / kDepth;
  if (threadIdx.x < 128) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x >= 32) return;
    for (int tile = 0; tile < tiles; ++tile) {
      const int stage = tile % kStages;
      if (tile >= kStages) barrier_wait(shared_address(empty + stage), (tile / kStages - 1) % 2);
      if (threadIdx.x == 0) barrier_arrive_expecting(shared_address(full + stage), 2 * kTileBytes);
      __syncwarp();
      if (threadIdx.x < 2 * kBoxes) {
        const int box = threadIdx.x % kBoxes;
        const bool of_b = threadIdx.x >= kBoxes;
        copy_box(shared_address(ring) + (2 * stage + of_b) * kTileBytes + box * 1024, of_b ? b : a,
                 tile * kDepth + box * 8, (of_b ? blockIdx.x : blockIdx.y) * 64,
                 shared_address(full + stage));
      }
    }
    return;
  }
  asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
  const int thread = threadIdx.x - 128;
  float d[32];
  for (int i = 0; i < 32; ++i) d[i] = 0;
  hold(d);
  for (int tile = 0; tile < tiles; ++tile) {
    const int stage = tile % kStages;
    barrier_wait(shared_address(full + stage), tile / kStages % 2);
    const unsigned tile_a = shared_address(ring) + 2 * stage * kTileBytes;
    warpgroup_fence();
    for (int step = 0; step < kDepth / 16; ++step) {
      PRODUCT_SHARED("+f", "m64n64k16.f32.f16.f16", ", 1, 1, 0, 0", d,
                     descriptor(tile_a + step * 2048, 1024, 128, 16),
                     descriptor(tile_a + kTileBytes + step * 2048, 1024, 128, 16), tile + step);
    }
    warpgroup_commit();
    warpgroup_wait<0>();
    // The product is one of the whole warpgroup: what one thread has waited for is over for all.
    if (thread == 0) barrier_arrive(shared_address(empty + stage));
  }
  hold(d);
  store_tile(c, n, blockIdx.y * 64, blockIdx.x * 64, thread, d);
}
