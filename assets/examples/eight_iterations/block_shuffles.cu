// block_shuffles.cu: layer normalisation, one block per row, sums by shuffles.
//
// Against block_tree: a warp adds its lanes' values in registers, so a tree of eight steps in
// shared memory becomes one word per warp (block_sum.cuh). Look at the wavefronts of shared memory
// and at the instructions: the three passes over x are the same.

#include "block_sum.cuh"

extern "C" __global__ void __launch_bounds__(kThreads)
    block_shuffles(const float* __restrict__ x,      // [rows, columns]
                   const float* __restrict__ gamma,  // [columns]
                   const float* __restrict__ beta,   // [columns]
                   float* __restrict__ y,            // [rows, columns]
                   int columns, float epsilon) {
  x += static_cast<long long>(blockIdx.x) * columns;
  y += static_cast<long long>(blockIdx.x) * columns;
  float sum = 0, squares = 0;
  for (int c = threadIdx.x; c < columns; c += kThreads) sum += x[c];
  const float mean = block_sum(sum) / columns;
  for (int c = threadIdx.x; c < columns; c += kThreads) squares += (x[c] - mean) * (x[c] - mean);
  const float scale = rsqrtf(block_sum(squares) / columns + epsilon);
  for (int c = threadIdx.x; c < columns; c += kThreads)
    y[c] = (x[c] - mean) * scale * gamma[c] + beta[c];
}
