// kernels/autoencoder/pool_scatter.cu: a thread an output; backward it adds its gradient to the
// winner's.
//
// The gradient of the large map is cleared first, and written by atomic additions, though no two
// windows share a pixel. Look at the sectors of a load: a lane takes every second word, so each
// request has twice the sectors it needs, twice a row. Backward, at the bytes: three of four words
// are written by the clearing alone.
#include "autoencoder/windows.cuh"

extern "C" __global__ void __launch_bounds__(256)
    pool_scatter_forward(const float* __restrict__ x,    // [planes, 2·half, 2·half]
                         float* __restrict__ y,          // [planes, half, half]
                         unsigned* __restrict__ argmax,  // as y: 0 … 3
                         long long planes, int half) {
  const long long i = thread_index();
  if (i >= planes * half * half) return;
  const Window at = window_at(i, half);
  Best best;
  best.take(x[at.first], 0);
  best.take(x[at.first + 1], 1);
  best.take(x[at.below], 2);
  best.take(x[at.below + 1], 3);
  y[i] = best.value;
  argmax[i] = best.place;
}

extern "C" __global__ void __launch_bounds__(256)
    pool_scatter_backward(const float* __restrict__ dy,         // [planes, half, half]
                          const unsigned* __restrict__ argmax,  // as dy
                          float* __restrict__ dx,  // [planes, 2·half, 2·half], cleared
                          long long planes, int half) {
  const long long i = thread_index();
  if (i >= planes * half * half) return;
  const Window at = window_at(i, half);
  const unsigned place = argmax[i];
  atomicAdd(dx + (place < 2 ? at.first : at.below) + place % 2, dy[i]);
}
