// kernels/autoencoder/upsample_quads_nhwc.cu: an upsampling of a map whose channels lie innermost,
// by the pixel that is read.
//
// Against upsample_nhwc of windows_nhwc.cu a thread reads once and writes the four pixels that its
// own becomes, with one division in place of four. Look at the instructions and at the bytes
// per second.
#include "autoencoder/windows.cuh"

extern "C" __global__ void __launch_bounds__(256)
    upsample_quads_nhwc_forward(const float* __restrict__ x,  // [images, half, half, channels]
                                float* __restrict__ y,  // [images, 2·half, 2·half, channels]
                                long long planes, int half, int channels) {
  const long long i = thread_index();
  if (i >= planes * half * half) return;
  const long long channel = i % channels;
  const Window at = window_at(i / channels, half);
  const float value = x[i];
  float* const upper = y + at.first * channels + channel;
  float* const lower = y + at.below * channels + channel;
  upper[0] = upper[channels] = lower[0] = lower[channels] = value;
}
