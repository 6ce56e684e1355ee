// rows_in_turn.cu: layer normalisation by a grid that fits the machine: a block takes rows in turn.
//
// Against quads: gamma and beta are the same for every row, so a block that walks rows loads them
// once and keeps them in registers, and it asks for its next row before it sums the one it has: the
// load is under way while the block waits at its barriers. Look at the requests: one of three
// loads per element is left. The price is registers, and with them how many blocks are resident.

#include "block_sum.cuh"
#include "quad.cuh"

extern "C" __global__ void __launch_bounds__(kThreads)
    rows_in_turn(const float4* __restrict__ x,      // [rows, quads]
                 const float4* __restrict__ gamma,  // [quads]
                 const float4* __restrict__ beta,   // [quads]
                 float4* __restrict__ y,            // [rows, quads]
                 int rows, int quads_a_row, float epsilon) {
  const int first = threadIdx.x, left = quads_a_row - first, columns = 4 * quads_a_row;
  const long long stride = static_cast<long long>(gridDim.x) * quads_a_row;
  x += static_cast<long long>(blockIdx.x) * quads_a_row + first;
  y += static_cast<long long>(blockIdx.x) * quads_a_row + first;
  float4 value[QUADS], next[QUADS], scales[QUADS], shifts[QUADS];
#pragma unroll
  for (int i = 0; i < QUADS; ++i) {
    next[i] = {0, 0, 0, 0};
    if (i * kThreads >= left) continue;
    next[i] = x[i * kThreads];
    scales[i] = gamma[first + i * kThreads];
    shifts[i] = beta[first + i * kThreads];
  }
  for (int row = blockIdx.x; row < rows; row += gridDim.x, y += stride) {
    const bool more = row + gridDim.x < rows;
    x += stride;
    float sum = 0, squares = 0;
#pragma unroll
    for (int i = 0; i < QUADS; ++i) {
      value[i] = next[i];
      if (more && i * kThreads < left) next[i] = x[i * kThreads];
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
      if (i * kThreads < left)
        y[i * kThreads] = normalised(value[i], mean, scale, scales[i], shifts[i]);
    }
  }
}
