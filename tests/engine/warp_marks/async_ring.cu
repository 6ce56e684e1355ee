// tests/engine/warp_marks/async_ring.cu: two warps fill a ring by cp.async, four warps compute.
#include "parts.cuh"

extern "C" __global__ void __launch_bounds__(192)
    async_ring(const float* __restrict__ x, float* __restrict__ y, long long* marks_out, int n) {
  constexpr int kStages = 3, kFloats = 2048, kTiles = 32;
  __shared__ __align__(128) float ring[kStages][kFloats];
  __shared__ Barrier full[kStages], empty[kStages];
  Marks marks;
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) init(full + s, 64), init(empty + s, 4);
  }
  __syncthreads();
  if (threadIdx.x < 64) {
#pragma unroll 1
    for (int tile = 0; tile < kTiles; ++tile) {
      const int s = tile % kStages;
      const Awaited of = awaited(empty + s, tile / kStages % 2 ^ 1);
      marks.begin();
      wait(of);  // a free stage
      marks.end(0);
      const float* from = x + ((long long)blockIdx.x * kTiles + tile) * kFloats % n;
      for (int k = threadIdx.x * 4; k < kFloats; k += 256) async_load(ring[s] + k, from + k);
      asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(shared_address(full + s))
                   : "memory");
    }
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
      for (int k = threadIdx.x - 64; k < kFloats; k += 512) sum += ring[s][k];
      sum = chain(sum, 384);
      __syncwarp();
      if (threadIdx.x % 32 == 0) arrive(empty + s);
    }
    marks.end(1);
    y[blockIdx.x * 128 + threadIdx.x - 64] = sum;
  }
  marks.write(marks_out);
}
