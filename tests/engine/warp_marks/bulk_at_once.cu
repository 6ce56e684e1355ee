// tests/engine/warp_marks/bulk_at_once.cu: a block starts a bulk copy and waits for it at once.
#include "parts.cuh"

extern "C" __global__ void __launch_bounds__(128)
    bulk_at_once(const float* __restrict__ x, float* __restrict__ y, long long* marks_out, int n) {
  constexpr int kFloats = 8192, kTiles = 16;
  __shared__ __align__(128) float tile[kFloats];
  __shared__ Barrier full;
  Marks marks;
  if (threadIdx.x == 0) {
    init(&full, 1);
    fence_init();
  }
  __syncthreads();
  float sum = 0;
#pragma unroll 1
  for (int j = 0; j < kTiles; ++j) {
    if (threadIdx.x == 0) {
      arrive_expecting(&full, kFloats * 4);
      bulk_load(tile, x + ((long long)blockIdx.x * kTiles + j) * kFloats % n, kFloats * 4, &full);
    }
    __syncwarp();
    const Awaited of = awaited(&full, j % 2);
    marks.begin();
    wait(of);  // the copy
    marks.end(0);
    sum += tile[threadIdx.x];
    __syncthreads();
  }
  y[blockIdx.x * 128 + threadIdx.x] = sum;
  marks.write(marks_out);
}
