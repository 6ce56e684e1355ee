// tests/engine/warp_marks/tree_reduction.cu: a block adds up tiles by halves, with a barrier each.
#include "parts.cuh"

extern "C" __global__ void __launch_bounds__(512)
    tree_reduction(const float* __restrict__ x, float* __restrict__ y, long long* marks_out,
                   int n) {
  constexpr int kTiles = 16;
  __shared__ float part[512];
  Marks marks;
  float sum = 0;
#pragma unroll 1
  for (int j = 0; j < kTiles; ++j) {
    part[threadIdx.x] = chain(x[((long long)blockIdx.x * kTiles + j) * 512 % n + threadIdx.x], 64);
    __syncthreads();
#pragma unroll 1
    for (int half = 256; half > 0; half /= 2) {
      if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
      marks.begin();
      __syncthreads();  // the halves
      marks.end_at_barrier(0);
    }
    sum += part[0];
    __syncthreads();
  }
  y[blockIdx.x * 512 + threadIdx.x] = sum;
  marks.write(marks_out);
}
