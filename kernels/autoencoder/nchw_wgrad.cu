// kernels/autoencoder/nchw_wgrad.cu: one thread sums the nine weights between two channels.
//
// Against naive_nhwc: an output's gradient is loaded once for nine products instead of for one, and
// the nine taps are unrolled. Look at the registers, nine sums of them, and at the threads: a ninth
// of the weights, and each goes over all images and pixels.
#include "autoencoder/nine_sums.cuh"

extern "C" __global__ void __launch_bounds__(256)
    nchw_wgrad(const float* __restrict__ x,   // [images, in, side, side]
               const float* __restrict__ dy,  // [images, out, side, side]
               float* __restrict__ dw,        // [out, in, 3, 3]
               int images, int in, int out, int side) {
  const int c = blockIdx.x * 16 + threadIdx.x, k = blockIdx.y * 16 + threadIdx.y;
  if (c >= in || k >= out) return;
  const long long plane = static_cast<long long>(side) * side;
  float sums[9] = {};
  for (long long image = 0; image < images; ++image) {
    add_plane(sums, x + (image * in + c) * plane, dy + (image * out + k) * plane, side);
  }
#pragma unroll
  for (int tap = 0; tap < 9; ++tap) dw[(static_cast<long long>(k) * in + c) * 9 + tap] = sums[tap];
}
