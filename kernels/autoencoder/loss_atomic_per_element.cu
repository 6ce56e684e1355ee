// kernels/autoencoder/loss_atomic_per_element.cu: every thread adds its square to one sum in
// memory.
//
// All additions meet at one address. Look at the requests of atomics, and at the error: a running
// sum in f32 rounds at every addition, in an order that no two runs share.
#include "autoencoder/squares.cuh"

extern "C" __global__ void __launch_bounds__(256)
    loss_atomic_per_element(const float* __restrict__ p,  // [count]
                            const float* __restrict__ t,  // [count]
                            float* __restrict__ loss,     // [1], cleared
                            long long count) {
  const long long i = thread_index();
  if (i < count) atomicAdd(loss, squared_difference(p, t, i) / count);
}
