// tests/engine/warp_marks/load_then_compute.cu: a block loads a tile through registers, and
// computes after the barrier.
#include "parts.cuh"

extern "C" __global__ void __launch_bounds__(256)
    load_then_compute(const float* __restrict__ x, float* __restrict__ y, long long* marks_out,
                      int n) {
  constexpr int kFloats = 8192, kTiles = 8;
  __shared__ float tile[kFloats];
  Marks marks;
  float sum = 0;
#pragma unroll 1
  for (int j = 0; j < kTiles; ++j) {
    const float* from = x + ((long long)blockIdx.x * kTiles + j) * kFloats % n;
    for (int k = threadIdx.x; k < kFloats; k += 256) tile[k] = from[k];
    __syncthreads();
    marks.begin();
#pragma unroll 1
    for (int k = 0; k < 512; ++k) sum = sum * 0.999f + tile[(threadIdx.x + 33 * k) % kFloats];
    marks.end(0);
    __syncthreads();
  }
  y[blockIdx.x * 256 + threadIdx.x] = sum;
  marks.write(marks_out);
}
