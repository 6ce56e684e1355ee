// kernels/autoencoder/upsample_folded.cu: upsampling and convolution as four filters of 2×2 on the
// small map.
//
// Against nchw_grid2d on the large map: of the nine pixels under a filter only four differ, as each
// stands there up to four times, so weights of equal pixels are added up first. Which weights meet
// depends on whether row and column of an output are even: four phases. 16 products a pixel of the
// small map in place of 36, and the large map is never read. Look at the flops and at the bytes.
//
// The four filters between two channels: [phase, row, column], phase 2·(odd row) + (odd column).

extern "C" __global__ void __launch_bounds__(256)
    fold_weights(const float* __restrict__ w,  // [pairs, 3, 3]
                 float* __restrict__ folded,   // [pairs, 4, 2, 2]
                 int pairs) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pairs * 16) return;
  const float* const filter = w + i / 16 * 9;
  const int phase = i / 4 % 4, row = i / 2 % 2, column = i % 2;
  // Of an even output the row above lies in another pixel, its own and the one below in one.
  const auto of_tap = [](int tap, int odd) { return tap < (odd ? 2 : 1) ? 0 : 1; };
  float sum = 0;
  for (int tap = 0; tap < 9; ++tap) {
    if (of_tap(tap / 3, phase / 2) == row && of_tap(tap % 3, phase % 2) == column)
      sum += filter[tap];
  }
  folded[i] = sum;
}

// Every second pixel of every second row: a map as it was before it was upsampled.
extern "C" __global__ void __launch_bounds__(256)
    take_small_map(const float* __restrict__ x,  // [planes, 2·half, 2·half]
                   float* __restrict__ small,    // [planes, half, half]
                   long long count, int half) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const int column = i % half, row = i / half % half;
  small[i] = x[(i / half / half * 2 * half + 2 * row) * 2 * half + 2 * column];
}

extern "C" __global__ void __launch_bounds__(256)
    upsample_folded(const float* __restrict__ small,   // [images, in, half, half]
                    const float* __restrict__ folded,  // [out, in, 4, 2, 2]
                    const float* __restrict__ b,       // [out]
                    float* __restrict__ y,             // [images, out, 2·half, 2·half]
                    long long count, int in, int out, int half, int relu) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const int column = i % half, row = i / half % half;
  const long long plane = i / half / half, image = plane / out;
  const int k = plane % out;
  float sums[4] = {b[k], b[k], b[k], b[k]};
  for (int c = 0; c < in; ++c) {
    const float* const pixels = small + (image * in + c) * half * half;
    const float* const filters = folded + (static_cast<long long>(k) * in + c) * 16;
    float around[3][3];
#pragma unroll
    for (int tap = 0; tap < 9; ++tap) {
      const int r = row + tap / 3 - 1, q = column + tap % 3 - 1;
      const bool inside = r >= 0 && r < half && q >= 0 && q < half;
      around[tap / 3][tap % 3] = inside ? pixels[r * half + q] : 0.0f;
    }
#pragma unroll
    for (int tap = 0; tap < 16; ++tap) {
      const int phase = tap / 4;
      sums[phase] += around[tap / 2 % 2 + phase / 2][tap % 2 + phase % 2] * filters[tap];
    }
  }
#pragma unroll
  for (int phase = 0; phase < 4; ++phase) sums[phase] = relu && sums[phase] < 0 ? 0 : sums[phase];
  // Counted in pairs: through two pointers into y the second store would be split into words.
  float2* const rows = reinterpret_cast<float2*>(y);
  const long long corner = (plane * 2 * half + 2 * row) * half + column;
  rows[corner] = make_float2(sums[0], sums[1]);
  rows[corner + half] = make_float2(sums[2], sums[3]);
}
