// quads.cu: layer normalisation, 16 bytes per lane.
//
// Against row_in_registers: a lane takes four columns side by side, so a request moves 512 bytes
// and there are a quarter as many; so are the addresses and comparisons around them. The sectors
// are the same. A row must be whole quads, or its 16 bytes begin off their multiple.

#include "block_sum.cuh"
#include "quad.cuh"

extern "C" __global__ void __launch_bounds__(kThreads)
    quads(const float4* __restrict__ x,      // [rows, quads]
          const float4* __restrict__ gamma,  // [quads]
          const float4* __restrict__ beta,   // [quads]
          float4* __restrict__ y,            // [rows, quads]
          int quads_a_row, float epsilon) {
  const int first = threadIdx.x, left = quads_a_row - first, columns = 4 * quads_a_row;
  x += static_cast<long long>(blockIdx.x) * quads_a_row + first;
  y += static_cast<long long>(blockIdx.x) * quads_a_row + first;
  float4 value[QUADS];
  float sum = 0, squares = 0;
#pragma unroll
  for (int i = 0; i < QUADS; ++i) {
    value[i] = {0, 0, 0, 0};
    if (i * kThreads < left) value[i] = x[i * kThreads];
    sum += sum_of(value[i]);
  }
  const float mean = block_sum(sum) / columns;
#pragma unroll
  for (int i = 0; i < QUADS; ++i) {
    if (i * kThreads < left) squares += squares_about(value[i], mean);
  }
  const float scale = rsqrtf(block_sum(squares) / columns + epsilon);
#pragma unroll
  for (int i = 0; i < QUADS; ++i) {
    const int q = i * kThreads;
    if (q < left) y[q] = normalised(value[i], mean, scale, gamma[first + q], beta[first + q]);
  }
}
