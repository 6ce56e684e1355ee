// tests/engine/warp_marks/three_roles.cu: warp 0 copies, warps 1 and 2 square each tile in place,
// warps 3 and 4 add it up.
#include "parts.cuh"

extern "C" __global__ void __launch_bounds__(160)
    three_roles(const float* __restrict__ x, float* __restrict__ y, long long* marks_out, int n) {
  constexpr int kStages = 3, kFloats = 2048, kTiles = 24;
  __shared__ __align__(128) float ring[kStages][kFloats];
  __shared__ Barrier full[kStages], ready[kStages], empty[kStages];
  Marks marks;
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) init(full + s, 1), init(ready + s, 64), init(empty + s, 64);
    fence_init();
  }
  __syncthreads();
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
  } else if (threadIdx.x < 96) {
    marks.begin();
#pragma unroll 1
    for (int tile = 0; tile < kTiles; ++tile) {
      const int s = tile % kStages;
      const Awaited of = awaited(full + s, tile / kStages % 2);
      marks.end(1);
      wait(of);  // a filled stage
      marks.end(0);
      for (int k = threadIdx.x - 32; k < kFloats; k += 64) ring[s][k] *= ring[s][k];
      arrive(ready + s);
    }
    marks.end(1);
  } else {
    float sum = 0;
    marks.begin();
#pragma unroll 1
    for (int tile = 0; tile < kTiles; ++tile) {
      const int s = tile % kStages;
      const Awaited of = awaited(ready + s, tile / kStages % 2);
      marks.end(1);
      wait(of);  // a squared stage
      marks.end(0);
      for (int k = threadIdx.x - 96; k < kFloats; k += 64) sum += ring[s][k];
      sum = chain(sum, 512);
      asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
      arrive(empty + s);
    }
    marks.end(1);
    y[blockIdx.x * 64 + threadIdx.x - 96] = sum;
  }
  marks.write(marks_out);
}
