// kernels/autoencoder/naive_taps_outside.cu: one thread per output, the nine taps outside.
//
// Against naive_nhwc: the same products in another order of loops. A tap is outside, its border
// test and its addresses are made once for all channels, and the inner loop is a load of each
// operand and a multiply-add. Look at the instructions executed, which are about half.

extern "C" __global__ void __launch_bounds__(256)
    naive_taps_outside(const float* __restrict__ x,  // [images, side, side, in]
                       const float* __restrict__ w,  // [out, 3, 3, in]
                       const float* __restrict__ b,  // [out]
                       float* __restrict__ y,        // [images, side, side, out]
                       int images, int in, int out, int side) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= static_cast<long long>(images) * side * side * out) return;
  const int k = i % out;
  const long long pixel = i / out, image = pixel / side / side;
  const int column = pixel % side, row = pixel / side % side;
  float sum = b[k];
  for (int tap = 0; tap < 9; ++tap) {
    const int r = row + tap / 3 - 1, q = column + tap % 3 - 1;
    if (r < 0 || r >= side || q < 0 || q >= side) continue;
    const float* const from = x + ((image * side + r) * side + q) * in;
    const float* const weights = w + (static_cast<long long>(k) * 9 + tap) * in;
    for (int c = 0; c < in; ++c) sum += from[c] * weights[c];
  }
  y[i] = sum;
}
