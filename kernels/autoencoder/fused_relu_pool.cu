// kernels/autoencoder/fused_relu_pool.cu: a thread makes the four outputs of a window and keeps the
// largest.
//
// Against a convolution and a pool behind it: the large map is neither written nor read, and the
// four outputs share sixteen input pixels in place of four times nine. Look at the bytes, and at
// the threads: a quarter of them, each with four sums.
#include "autoencoder/windows.cuh"

extern "C" __global__ void __launch_bounds__(256)
    fused_relu_pool(const float* __restrict__ x,  // [images, in, 2·half, 2·half]
                    const float* __restrict__ w,  // [out, in, 3, 3]
                    const float* __restrict__ b,  // [out]
                    float* __restrict__ y,        // [images, out, half, half]
                    long long count, int in, int out, int half) {
  const long long i = thread_index();
  if (i >= count) return;
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
  y[i] = best.value;
}
