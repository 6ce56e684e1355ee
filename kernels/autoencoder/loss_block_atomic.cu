// kernels/autoencoder/loss_block_atomic.cu: a block adds up first, then one thread of it adds to
// the sum in memory.
//
// Against loss_atomic_per_element: 256 times fewer atomics. Their order is still another one in
// each run.
#include "autoencoder/squares.cuh"

extern "C" __global__ void __launch_bounds__(256)
    loss_block_atomic(const float* __restrict__ p,  // [count]
                      const float* __restrict__ t,  // [count]
                      float* __restrict__ loss,     // [1], cleared
                      long long count) {
  const long long i = thread_index();
  const float sum = sum_of_block(i < count ? squared_difference(p, t, i) : 0.0f);
  if (threadIdx.x == 0) atomicAdd(loss, sum / count);
}
