// tests/engine/warp_marks/named_barriers.cu: two warps load tiles through registers, two warps
// compute; named barriers pass the two tiles on.
#include "parts.cuh"

extern "C" __global__ void __launch_bounds__(128)
    named_barriers(const float* __restrict__ x, float* __restrict__ y, long long* marks_out,
                   int n) {
  constexpr int kFloats = 1024, kTiles = 32, kThreads = 128;
  constexpr int kFull = 1, kEmpty = 3;  // and the numbers after them
  __shared__ float tiles[2][kFloats];
  Marks marks;
  if (threadIdx.x < 64) {
#pragma unroll 1
    for (int tile = 0; tile < kTiles; ++tile) {
      const int s = tile % 2;
      marks.begin();
      if (tile >= 2) named_sync(kEmpty + s, kThreads);  // a free tile
      marks.end_at_barrier(0);
      const float* from = x + ((long long)blockIdx.x * kTiles + tile) * kFloats % n;
      for (int k = threadIdx.x; k < kFloats; k += 64) tiles[s][k] = from[k];
      __threadfence_block();
      named_arrive(kFull + s, kThreads);
    }
  } else {
    float sum = 0;
    marks.begin();
#pragma unroll 1
    for (int tile = 0; tile < kTiles; ++tile) {
      const int s = tile % 2;
      marks.end(1);
      named_sync(kFull + s, kThreads);  // a filled tile
      marks.end_at_barrier(0);
      for (int k = threadIdx.x - 64; k < kFloats; k += 64) sum += tiles[s][k];
      sum = chain(sum, 640);
      if (tile + 2 < kTiles) named_arrive(kEmpty + s, kThreads);
    }
    marks.end(1);
    y[blockIdx.x * 64 + threadIdx.x - 64] = sum;
  }
  marks.write(marks_out);
}
