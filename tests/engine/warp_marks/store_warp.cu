// tests/engine/warp_marks/store_warp.cu: four warps compute tiles, warp 0 stores them by bulk
// copies and waits for each.
#include "parts.cuh"

extern "C" __global__ void __launch_bounds__(160)
    store_warp(float* __restrict__ y, long long* marks_out, int n) {
  constexpr int kStages = 2, kFloats = 4096, kTiles = 32;
  __shared__ __align__(128) float tiles[kStages][kFloats];
  __shared__ Barrier full[kStages], empty[kStages];
  Marks marks;
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) init(full + s, 128), init(empty + s, 1);
  }
  __syncthreads();
  if (threadIdx.x < 32) {
    if (threadIdx.x == 0) {
#pragma unroll 1
      for (int tile = 0; tile < kTiles; ++tile) {
        const int s = tile % kStages;
        const Awaited of = awaited(full + s, tile / kStages % 2);
        marks.begin();
        wait(of);  // a computed tile
        marks.end(0);
        const long long to = ((long long)blockIdx.x * kTiles + tile) * kFloats % n;
        bulk_store(y + to, tiles[s], kFloats * 4);
        marks.begin();
        asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
        marks.end(1);
        arrive(empty + s);
      }
      asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
    __syncwarp();
  } else {
    float value = threadIdx.x;
    marks.begin();
#pragma unroll 1
    for (int tile = 0; tile < kTiles; ++tile) {
      const int s = tile % kStages;
      const Awaited of = awaited(empty + s, tile / kStages % 2 ^ 1);
      marks.end(1);
      wait(of);  // a stored tile
      marks.end(0);
      value = chain(value, 128);
      for (int k = threadIdx.x - 32; k < kFloats; k += 128) tiles[s][k] = value + k;
      asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
      arrive(full + s);
    }
    marks.end(1);
  }
  marks.write(marks_out);
}
