// kernels/autoencoder/upsample_row_pairs.cu: a thread owns a pixel of the small map and the two
// rows of two that it becomes.
//
// Against upsample_pixels: forward a value is read once and written in two stores of 8 bytes;
// backward the four come in two loads of 8 bytes. Look at the requests, and at the sectors per
// request, which are all needed.
#include "autoencoder/windows.cuh"

extern "C" __global__ void __launch_bounds__(256)
    upsample_row_pairs_forward(const float* __restrict__ x,  // [planes, half, half]
                               float* __restrict__ y,        // [planes, 2·half, 2·half]
                               long long planes, int half) {
  const long long i = thread_index();
  if (i >= planes * half * half) return;
  const Window at = window_at(i, half);
  const float value = x[i];
  // Counted in pairs: through two pointers into y the second store would be split into words.
  float2* const rows = reinterpret_cast<float2*>(y);
  rows[at.first / 2] = rows[at.below / 2] = make_float2(value, value);
}

extern "C" __global__ void __launch_bounds__(256)
    upsample_row_pairs_backward(const float* __restrict__ dy,  // [planes, 2·half, 2·half]
                                float* __restrict__ dx,        // [planes, half, half]
                                long long planes, int half) {
  const long long i = thread_index();
  if (i >= planes * half * half) return;
  const Window at = window_at(i, half);
  const float2 upper = *reinterpret_cast<const float2*>(dy + at.first);
  const float2 lower = *reinterpret_cast<const float2*>(dy + at.below);
  dx[i] = (upper.x + upper.y) + (lower.x + lower.y);
}
