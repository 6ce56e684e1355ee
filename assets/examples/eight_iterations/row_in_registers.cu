// row_in_registers.cu: layer normalisation, the row kept in registers: x is read once.
//
// Against block_shuffles: each thread holds its ITEMS values, so the variance about the mean needs
// no second look at memory, and it is as exact as before. ITEMS is a constant, or the values would
// not be registers. Look at the requests: three of five loads per element are left.

#include "block_sum.cuh"

extern "C" __global__ void __launch_bounds__(kThreads)
    row_in_registers(const float* __restrict__ x,      // [rows, columns]
                     const float* __restrict__ gamma,  // [columns]
                     const float* __restrict__ beta,   // [columns]
                     float* __restrict__ y,            // [rows, columns]
                     int columns, float epsilon) {
  const int first = threadIdx.x, left = columns - first;
  x += static_cast<long long>(blockIdx.x) * columns + first;
  y += static_cast<long long>(blockIdx.x) * columns + first;
  float value[ITEMS], sum = 0, squares = 0;
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    value[i] = 0;
    if (i * kThreads < left) value[i] = x[i * kThreads];
    sum += value[i];
  }
  const float mean = block_sum(sum) / columns;
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    if (i * kThreads < left) squares += (value[i] - mean) * (value[i] - mean);
  }
  const float scale = rsqrtf(block_sum(squares) / columns + epsilon);
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    const int c = i * kThreads;
    if (c < left) y[c] = (value[i] - mean) * scale * gamma[first + c] + beta[first + c];
  }
}
