// kernels/autoencoder/upsample_pixels.cu: a thread for every pixel that is written.
//
// Forward, two neighbouring lanes read the same word and so do two rows. Backward a thread sums its
// four pixels one word at a time: lanes take every second word. Look at the sectors per request of
// both passes.
#include "autoencoder/windows.cuh"

extern "C" __global__ void __launch_bounds__(256)
    upsample_pixels_forward(const float* __restrict__ x,  // [planes, half, half]
                            float* __restrict__ y,        // [planes, 2·half, 2·half]
                            long long planes, int half) {
  const long long i = thread_index();
  const int side = 2 * half;
  if (i >= planes * side * side) return;
  y[i] = x[(i / side / side * half + i / side % side / 2) * half + i % side / 2];
}

extern "C" __global__ void __launch_bounds__(256)
    upsample_pixels_backward(const float* __restrict__ dy,  // [planes, 2·half, 2·half]
                             float* __restrict__ dx,        // [planes, half, half]
                             long long planes, int half) {
  const long long i = thread_index();
  if (i >= planes * half * half) return;
  const Window at = window_at(i, half);
  dx[i] = (dy[at.first] + dy[at.first + 1]) + (dy[at.below] + dy[at.below + 1]);
}
