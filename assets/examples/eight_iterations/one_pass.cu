// one_pass.cu: layer normalisation with E[x²] − E[x]²: both sums in one pass over the row.
//
// Against block_shuffles: a pass less, and wrong where the mean is large. Both terms are then near
// mean², and what is left of them is what f32 rounded away: at a mean of 1000 a unit in the last
// place of mean² is 0.06, and the variance of these rows is 1/3. Move the axis `mean` and let the
// gate say so.

#include "block_sum.cuh"

extern "C" __global__ void __launch_bounds__(kThreads)
    one_pass(const float* __restrict__ x,      // [rows, columns]
             const float* __restrict__ gamma,  // [columns]
             const float* __restrict__ beta,   // [columns]
             float* __restrict__ y,            // [rows, columns]
             int columns, float epsilon) {
  x += static_cast<long long>(blockIdx.x) * columns;
  y += static_cast<long long>(blockIdx.x) * columns;
  float sum = 0, squares = 0;
  for (int c = threadIdx.x; c < columns; c += kThreads) {
    sum += x[c];
    squares += x[c] * x[c];
  }
  const float mean = block_sum(sum) / columns;
  const float variance = fmaxf(block_sum(squares) / columns - mean * mean, 0);
  const float scale = rsqrtf(variance + epsilon);
  for (int c = threadIdx.x; c < columns; c += kThreads)
    y[c] = (x[c] - mean) * scale * gamma[c] + beta[c];
}
