// tests/engine/warp_marks/row_loops.cu: each warp adds up a row, and rows have different lengths.
#include "parts.cuh"

extern "C" __global__ void __launch_bounds__(128)
    row_loops(const float* __restrict__ x, float* __restrict__ y, long long* marks_out, int n) {
  Marks marks;
  const int row = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
  const int length = 2048 + 4096 * (row % 4);
  const float* from = x + (long long)row * 16384 % n;
  float sum = 0;
  marks.begin();
#pragma unroll 1
  for (int k = lane; k < length; k += 32) sum += from[k];
  marks.end(0);
  __syncthreads();  // the longest row
  marks.end_at_barrier(1);
  y[blockIdx.x * 128 + threadIdx.x] = sum;
  marks.write(marks_out);
}
