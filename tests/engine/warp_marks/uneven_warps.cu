// tests/engine/warp_marks/uneven_warps.cu: each warp of a block works longer than the one before
// it, and all meet at a barrier.
#include "parts.cuh"

extern "C" __global__ void __launch_bounds__(256)
    uneven_warps(float* __restrict__ y, long long* marks_out) {
  Marks marks;
  float x = threadIdx.x;
#pragma unroll 1
  for (int round = 0; round < 8; ++round) {
    marks.begin();
    x = chain(x, 128 + 128 * (threadIdx.x / 32));
    marks.end(0);
    __syncthreads();
    marks.end_at_barrier(1);
  }
  y[blockIdx.x * 256 + threadIdx.x] = x;
  marks.write(marks_out);
}
