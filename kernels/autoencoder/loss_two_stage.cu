// kernels/autoencoder/loss_two_stage.cu: blocks leave a sum each, and one block adds those up.
//
// Against loss_block_atomic: no atomics, and an order that never changes, so that two runs give the
// same bits; for it a second launch that waits for the first. Look at what that launch costs beside
// its work.
#include "autoencoder/squares.cuh"

extern "C" __global__ void __launch_bounds__(256)
    loss_two_stage(const float* __restrict__ p,       // [count]
                   const float* __restrict__ t,       // [count]
                   float* __restrict__ partial_sums,  // [blocks]
                   long long count) {
  const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
  float sum = 0;
  for (long long i = thread_index(); i < count; i += stride) sum += squared_difference(p, t, i);
  sum = sum_of_block(sum);
  if (threadIdx.x == 0) partial_sums[blockIdx.x] = sum;
}

extern "C" __global__ void __launch_bounds__(256)
    add_partial_sums(const float* __restrict__ partial_sums,  // [blocks], at most 256
                     float* __restrict__ loss,                // [1]
                     int blocks, long long count) {
  const float sum = sum_of_block(threadIdx.x < blocks ? partial_sums[threadIdx.x] : 0.0f);
  if (threadIdx.x == 0) *loss = sum / count;
}
