// tests/engine/warp_marks/double_buffer.cu: a block copies the next tile by cp.async while it
// computes from this one.
#include "parts.cuh"

extern "C" __global__ void __launch_bounds__(128)
    double_buffer(const float* __restrict__ x, float* __restrict__ y, long long* marks_out, int n) {
  constexpr int kFloats = 4096, kTiles = 24;
  __shared__ __align__(128) float tiles[2][kFloats];
  Marks marks;
  const auto copy = [&](int tile) {
    const float* from = x + ((long long)blockIdx.x * kTiles + tile) * kFloats % n;
    for (int k = threadIdx.x * 4; k < kFloats && tile < kTiles; k += 512)
      async_load(tiles[tile % 2] + k, from + k);
    asm volatile("cp.async.commit_group;" ::: "memory");
  };
  copy(0);
  float sum = 0;
#pragma unroll 1
  for (int tile = 0; tile < kTiles; ++tile) {
    copy(tile + 1);
    marks.begin();
    asm volatile("cp.async.wait_group 1;" ::: "memory");  // all but the newest
    marks.end(0);
    __syncthreads();
    for (int k = threadIdx.x; k < kFloats; k += 512) sum += tiles[tile % 2][k];
    sum = chain(sum, 64);
    __syncthreads();
  }
  y[blockIdx.x * 128 + threadIdx.x] = sum;
  marks.write(marks_out);
}
