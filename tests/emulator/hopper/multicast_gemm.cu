// tests/emulator/hopper/multicast_gemm.cu: C = A · Bᵀ of f16 by clusters of two blocks, which copy
// half of B's tile each to both.
#include "../tests/emulator/hopper/cluster.cuh"

constexpr int kRows = 64, kColumns = 64, kDepth = 32, kStages = 2;
constexpr int kTileA = kRows * kDepth * 2, kTileB = kColumns * kDepth * 2;  // bytes

// A box of a tensor to the shared memory of every block whose bit is set.
__device__ __forceinline__ void copy_box_to_many(unsigned destination, const TensorMap& map, int x,
                                                 int y, unsigned barrier, unsigned short blocks) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(destination),
      "l"(&map), "r"(x), "r"(y), "r"(barrier), "h"(blocks)
      : "memory");
}

__device__ __forceinline__ void multiply(float (&d)[4], const unsigned (&a)[4], unsigned b0,
                                         unsigned b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Block (x, y): rows 64·x, columns 64·y; the two blocks of a cluster lie side by side in x and use
// the same columns. 128 threads, a warp for each 16 rows.
extern "C" __global__ void multicast_gemm(const __grid_constant__ TensorMap a,  // m × k, 64 × 32
                                          const __grid_constant__ TensorMap b,  // n × k, 32 × 32
                                          float* __restrict__ c, int n, int k) {
  __shared__ alignas(128) unsigned tile_a[kStages][kTileA / 4], tile_b[kStages][kTileB / 4];
  __shared__ alignas(8) unsigned long long barriers[2 * kStages];
  const unsigned full = shared_address(barriers), empty = full + 8 * kStages;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const unsigned rank = cluster_rank();
  // Both blocks read what a copy to both would overwrite.
  if (threadIdx.x == 0) ring_init(full, empty, kStages, 2);
  cluster_sync();
  float sums[kColumns / 8][4] = {};
  const int steps = k / kDepth;
  for (int s = 0; s < steps + kStages; ++s) {
    if (threadIdx.x == 0 && s < steps) {
      const int stage = s % kStages;
      if (s >= kStages) barrier_wait(empty + 8 * stage, (s / kStages + 1) & 1);
      barrier_arrive_expecting(full + 8 * stage, kTileA + kTileB);
      copy_box(shared_address(tile_a[stage]), a, s * kDepth, blockIdx.x * kRows, full + 8 * stage);
      copy_box_to_many(shared_address(tile_b[stage]) + rank * kTileB / 2, b, s * kDepth,
                       blockIdx.y * kColumns + rank * kColumns / 2, full + 8 * stage, 3);
    }
    const int t = s - kStages + 1;  // the step that is multiplied
    if (t < 0 || t >= steps) continue;
    const int stage = t % kStages;
    barrier_wait(full + 8 * stage, t / kStages & 1);
#pragma unroll
    for (int x = 0; x < kDepth / 16; ++x) {
      const unsigned* const rows = tile_a[stage] + (warp * 16 + lane / 4) * kDepth / 2;
      const int at = x * 8 + lane % 4;
      const unsigned of_a[4] = {rows[at], rows[8 * kDepth / 2 + at], rows[at + 4],
                                rows[8 * kDepth / 2 + at + 4]};
#pragma unroll
      for (int j = 0; j < kColumns / 8; ++j) {
        const unsigned* const row = tile_b[stage] + (j * 8 + lane / 4) * kDepth / 2;
        multiply(sums[j], of_a, row[at], row[at + 4]);
      }
    }
    __syncthreads();
    if (threadIdx.x < 2) barrier_arrive_at(mapped(empty + 8 * stage, threadIdx.x));
  }
  const int row = blockIdx.x * kRows + warp * 16 + lane / 4;
#pragma unroll
  for (int j = 0; j < kColumns / 8; ++j) {
    const int column = blockIdx.y * kColumns + j * 8 + lane % 4 * 2;
    c[row * n + column] = sums[j][0];
    c[row * n + column + 1] = sums[j][1];
    c[(row + 8) * n + column] = sums[j][2];
    c[(row + 8) * n + column + 1] = sums[j][3];
  }
  cluster_sync();  // the other block may still arrive here
}
