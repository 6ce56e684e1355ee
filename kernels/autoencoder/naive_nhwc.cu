// kernels/autoencoder/naive_nhwc.cu: one thread per output, channels innermost.
//
// The first rung. Lanes are neighbouring channels of one pixel: an input value is the same for all
// of them, a broadcast, and the outputs lie side by side. The forward pass has the loops of the
// published kernel in their order: input channels outside, the window inside, its size known at run
// time, the bias last. So each product has its own border test and its own address. Look at the
// instructions, and at the weights: from lane to lane they lie 9·in·4 bytes apart, 32 lines per
// request. dgrad reads them side by side. In wgrad a thread sums one weight over all images and
// pixels, and the layers at both ends of the network have 6912 weights: look at how much of the
// device they fill.

namespace {

__device__ long long thread_index() {
  return static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
}

}  // namespace

extern "C" __global__ void __launch_bounds__(256)
    naive_forward(const float* __restrict__ x,  // [images, side, side, in]
                  const float* __restrict__ w,  // [out, kernel, kernel, in]
                  const float* __restrict__ b,  // [out]
                  float* __restrict__ y,        // [images, side, side, out]
                  int images, int in, int out, int side, int kernel) {
  const long long i = thread_index();
  if (i >= static_cast<long long>(images) * side * side * out) return;
  const int k = i % out;
  const long long pixel = i / out, image = pixel / side / side;
  const int column = pixel % side, row = pixel / side % side;
  float sum = 0;
  for (int c = 0; c < in; ++c) {
    for (int down = 0; down < kernel; ++down) {
      for (int across = 0; across < kernel; ++across) {
        const int r = row + down - kernel / 2, q = column + across - kernel / 2;
        if (r < 0 || r >= side || q < 0 || q >= side) continue;
        sum += x[((image * side + r) * side + q) * in + c] *
               w[((static_cast<long long>(k) * kernel + down) * kernel + across) * in + c];
      }
    }
  }
  sum += b[k];
  y[i] = sum;
}

// In place. NaN stays NaN.
extern "C" __global__ void __launch_bounds__(256) naive_relu(float* __restrict__ y,  // [count]
                                                             long long count) {
  const long long i = thread_index();
  if (i < count && y[i] < 0) y[i] = 0;
}

extern "C" __global__ void __launch_bounds__(256)
    naive_dgrad(const float* __restrict__ dy,  // [images, side, side, out]
                const float* __restrict__ w,   // [out, 3, 3, in]
                float* __restrict__ dx,        // [images, side, side, in]
                int images, int in, int out, int side) {
  const long long i = thread_index();
  if (i >= static_cast<long long>(images) * side * side * in) return;
  const int c = i % in;
  const long long pixel = i / in, image = pixel / side / side;
  const int column = pixel % side, row = pixel / side % side;
  float sum = 0;
  for (int tap = 0; tap < 9; ++tap) {
    // The output there took this input by its weight `tap`.
    const int r = row + 1 - tap / 3, q = column + 1 - tap % 3;
    if (r < 0 || r >= side || q < 0 || q >= side) continue;
    const float* const from = dy + ((image * side + r) * side + q) * out;
    for (int k = 0; k < out; ++k)
      sum += from[k] * w[(static_cast<long long>(k) * 9 + tap) * in + c];
  }
  dx[i] = sum;
}

extern "C" __global__ void __launch_bounds__(256)
    naive_wgrad(const float* __restrict__ x,   // [images, side, side, in]
                const float* __restrict__ dy,  // [images, side, side, out]
                float* __restrict__ dw,        // [out, 3, 3, in]
                int images, int in, int out, int side) {
  const long long i = thread_index();
  if (i >= static_cast<long long>(out) * 9 * in) return;
  const int c = i % in, tap = i / in % 9, k = i / in / 9;
  float sum = 0;
  for (long long image = 0; image < images; ++image) {
    for (int row = 0; row < side; ++row) {
      const int r = row + tap / 3 - 1;
      if (r < 0 || r >= side) continue;
      for (int column = 0; column < side; ++column) {
        const int q = column + tap % 3 - 1;
        if (q < 0 || q >= side) continue;
        sum += dy[((image * side + row) * side + column) * out + k] *
               x[((image * side + r) * side + q) * in + c];
      }
    }
  }
  dw[i] = sum;
}

extern "C" __global__ void __launch_bounds__(256)
    naive_bias_gradient(const float* __restrict__ dy,  // [pixels of all images, out]
                        float* __restrict__ db,        // [out]
                        long long pixels, int out) {
  const int k = thread_index();
  if (k >= out) return;
  float sum = 0;
  for (long long p = 0; p < pixels; ++p) sum += dy[p * out + k];
  db[k] = sum;
}
