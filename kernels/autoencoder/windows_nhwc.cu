// kernels/autoencoder/windows_nhwc.cu: pools and upsamplings of maps whose channels lie innermost.
//
// Against pool_scatter and upsample_pixels: lanes are channels of one pixel, so that each of a
// window's four words is one of a line that is wholly used. Look at the sectors per request.
#include "autoencoder/windows.cuh"

// The element of a large map [images, 2·half, 2·half, channels] at the upper left of a window whose
// index in the small map is i, and the steps to the right and down.
struct Corner {
  long long first, right, down;
};
__device__ Corner corner_of(long long i, int channels, int half) {
  const long long channel = i % channels, pixel = i / channels;
  const Window at = window_at(pixel, half);
  return {at.first * channels + channel, channels, 2LL * half * channels};
}

extern "C" __global__ void __launch_bounds__(256)
    pool_nhwc_forward(const float* __restrict__ x,    // [images, 2·half, 2·half, channels]
                      float* __restrict__ y,          // [images, half, half, channels]
                      unsigned* __restrict__ argmax,  // as y: 0 … 3
                      long long planes, int half, int channels) {
  const long long i = thread_index();
  if (i >= planes * half * half) return;
  const Corner at = corner_of(i, channels, half);
  Best best;
  best.take(x[at.first], 0);
  best.take(x[at.first + at.right], 1);
  best.take(x[at.first + at.down], 2);
  best.take(x[at.first + at.down + at.right], 3);
  y[i] = best.value;
  argmax[i] = best.place;
}

extern "C" __global__ void __launch_bounds__(256)
    pool_nhwc_backward(const float* __restrict__ dy,         // [images, half, half, channels]
                       const unsigned* __restrict__ argmax,  // as dy
                       float* __restrict__ dx,  // [images, 2·half, 2·half, channels], cleared
                       long long planes, int half, int channels) {
  const long long i = thread_index();
  if (i >= planes * half * half) return;
  const Corner at = corner_of(i, channels, half);
  const unsigned place = argmax[i];
  atomicAdd(dx + at.first + place / 2 * at.down + place % 2 * at.right, dy[i]);
}

// All four pixels of a window, of which three are zero: nothing is cleared, and nothing is added.
extern "C" __global__ void __launch_bounds__(256)
    pool_nhwc_windows_backward(const float* __restrict__ dy,  // [images, half, half, channels]
                               const unsigned* __restrict__ argmax,  // as dy
                               float* __restrict__ dx,  // [images, 2·half, 2·half, channels]
                               long long planes, int half, int channels) {
  const long long i = thread_index();
  if (i >= planes * half * half) return;
  const Corner at = corner_of(i, channels, half);
  const unsigned place = argmax[i];
  const float d = dy[i];
  for (unsigned p = 0; p < 4; ++p)
    dx[at.first + p / 2 * at.down + p % 2 * at.right] = place == p ? d : 0.0f;
}

extern "C" __global__ void __launch_bounds__(256)
    upsample_nhwc_forward(const float* __restrict__ x,  // [images, half, half, channels]
                          float* __restrict__ y,        // [images, 2·half, 2·half, channels]
                          long long planes, int half, int channels) {
  const long long i = thread_index();
  const int side = 2 * half;
  if (i >= planes * side * side) return;
  const long long channel = i % channels, pixel = i / channels;
  const long long image = pixel / side / side, row = pixel / side % side, column = pixel % side;
  y[i] = x[((image * half + row / 2) * half + column / 2) * channels + channel];
}

extern "C" __global__ void __launch_bounds__(256)
    upsample_nhwc_backward(const float* __restrict__ dy,  // [images, 2·half, 2·half, channels]
                           float* __restrict__ dx,        // [images, half, half, channels]
                           long long planes, int half, int channels) {
  const long long i = thread_index();
  if (i >= planes * half * half) return;
  const Corner at = corner_of(i, channels, half);
  dx[i] = (dy[at.first] + dy[at.first + at.right]) +
          (dy[at.first + at.down] + dy[at.first + at.down + at.right]);
}
