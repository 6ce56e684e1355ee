// kernels/autoencoder/window_sums.cuh: the four outputs of a convolution under a window of a pool.
#pragma once

#include "autoencoder/windows.cuh"

// The first maximum after the ReLU, of four sums that share sixteen input pixels. `i` counts
// windows of the output.
__device__ inline Best pooled_window(const float* __restrict__ x,  // [images, in, 2·half, 2·half]
                                     const float* __restrict__ w,  // [out, in, 3, 3]
                                     const float* __restrict__ b,  // [out]
                                     long long i, int in, int out, int half) {
  const int side = 2 * half, column = i % half * 2, row = i / half % half * 2;
  const long long of_planes = i / half / half, image = of_planes / out;
  const int k = of_planes % out;
  float sums[4] = {b[k], b[k], b[k], b[k]};
  for (int c = 0; c < in; ++c) {
    const float* const pixels = x + (image * in + c) * side * side;
    const float* const filter = w + (static_cast<long long>(k) * in + c) * 9;
    float around[4][4];
#pragma unroll
    for (int p = 0; p < 16; ++p) {
      const int r = row + p / 4 - 1, q = column + p % 4 - 1;
      const bool inside = r >= 0 && r < side && q >= 0 && q < side;
      around[p / 4][p % 4] = inside ? pixels[r * side + q] : 0.0f;
    }
#pragma unroll
    for (int tap = 0; tap < 9; ++tap) {
#pragma unroll
      for (int place = 0; place < 4; ++place)
        sums[place] += around[place / 2 + tap / 3][place % 2 + tap % 3] * filter[tap];
    }
  }
  Best best;
#pragma unroll
  for (int place = 0; place < 4; ++place) best.take(sums[place] < 0 ? 0 : sums[place], place);
  return best;
}
