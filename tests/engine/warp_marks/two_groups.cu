// tests/engine/warp_marks/two_groups.cu: warp 0 copies, and two groups of two warps take turns:
// one computes while the other waits at a named barrier.
#include "parts.cuh"

extern "C" __global__ void __launch_bounds__(160)
    two_groups(const float* __restrict__ x, float* __restrict__ y, long long* marks_out, int n) {
  constexpr int kStages = 4, kFloats = 1024, kTiles = 32, kTurn = 1;
  __shared__ __align__(128) float ring[kStages][kFloats];
  __shared__ Barrier full[kStages], empty[kStages];
  Marks marks;
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) init(full + s, 1), init(empty + s, 2);
    fence_init();
  }
  __syncthreads();
  const int group = (static_cast<int>(threadIdx.x) - 32) / 64;  // of the warps that compute
  if (threadIdx.x < 32) {
    if (threadIdx.x == 0) {
#pragma unroll 1
      for (int tile = 0; tile < kTiles; ++tile) {
        const int s = tile % kStages;
        const Awaited of = awaited(empty + s, tile / kStages % 2 ^ 1);
        marks.begin();
        wait(of);  // a free stage
        marks.end(0);
        arrive_expecting(full + s, kFloats * 4);
        const long long from = ((long long)blockIdx.x * kTiles + tile) * kFloats % n;
        bulk_load(ring[s], x + from, kFloats * 4, full + s);
      }
    }
    __syncwarp();
  } else {
    float sum = 0;
    if (group == 1) named_arrive(kTurn, 128);  // the first turn is of group 0
    marks.begin();
#pragma unroll 1
    for (int tile = group; tile < kTiles; tile += 2) {
      const int s = tile % kStages;
      const Awaited of = awaited(full + s, tile / kStages % 2);
      marks.end(1);
      wait(of);  // a filled stage
      marks.begin();
      named_sync(kTurn + group, 128);  // its turn
      marks.end_at_barrier(0);
      sum = chain(sum + ring[s][threadIdx.x], 512);
      __syncwarp();
      if (threadIdx.x % 32 == 0) arrive(empty + s);
      if (tile + 1 < kTiles) named_arrive(kTurn + 1 - group, 128);
    }
    marks.end(1);
    y[blockIdx.x * 128 + threadIdx.x - 32] = sum;
  }
  marks.write(marks_out);
}
