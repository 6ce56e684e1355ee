// tests/engine/warp_marks/bulk_ring.cu: warp 0 fills a ring of four tiles by bulk copies, four
// warps compute from it.
#include "parts.cuh"

extern "C" __global__ void __launch_bounds__(160)
    bulk_ring(const float* __restrict__ x, float* __restrict__ y, long long* marks_out, int n) {
  constexpr int kStages = 4, kFloats = 4096, kTiles = 32;
  extern __shared__ __align__(128) float ring[];  // [kStages, kFloats]
  __shared__ Barrier full[kStages], empty[kStages];
  Marks marks;
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) init(full + s, 1), init(empty + s, 4);
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
        bulk_load(ring + s * kFloats, x + from, kFloats * 4, full + s);
      }
    }
    __syncwarp();
  } else {
    float sum = 0;
    marks.begin();
#pragma unroll 1
    for (int tile = 0; tile < kTiles; ++tile) {
      const int s = tile % kStages;
      const Awaited of = awaited(full + s, tile / kStages % 2);
      marks.end(1);
      wait(of);  // a filled stage
      marks.end(0);
      for (int k = threadIdx.x - 32; k < kFloats; k += 512) sum += ring[s * kFloats + k];
      sum = chain(sum, 256);
      __syncwarp();
      if (threadIdx.x % 32 == 0) arrive(empty + s);
    }
    marks.end(1);
    y[blockIdx.x * 128 + threadIdx.x - 32] = sum;
  }
  marks.write(marks_out);
}
