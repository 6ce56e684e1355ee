// kernels/autoencoder/fused_relu_pool.cu: a thread makes the four outputs of a window and keeps the
// largest.
//
// Against a convolution and a pool after it: the large map is neither written nor read, and the
// four outputs share sixteen input pixels in place of four times nine. Look at the bytes, and at
// the threads: a quarter of them, each with four sums.
#include "autoencoder/window_sums.cuh"

extern "C" __global__ void __launch_bounds__(256)
    fused_relu_pool(const float* __restrict__ x,  // [images, in, 2·half, 2·half]
                    const float* __restrict__ w,  // [out, in, 3, 3]
                    const float* __restrict__ b,  // [out]
                    float* __restrict__ y,        // [images, out, half, half]
                    long long count, int in, int out, int half) {
  const long long i = thread_index();
  if (i < count) y[i] = pooled_window(x, w, b, i, in, out, half).value;
}
