// kernels/autoencoder/upsample_folded.cu: a map as it was before it was upsampled.
//
// Upsampling and convolution are four filters of 2×2 on the small map: of the nine pixels under a
// filter only four differ, as each stands there up to four times, so weights of equal pixels are
// added up first. packed_weights.cuh has the sums; register_tiles.cu, wgrad_register_tiles.cu and,
// of three outputs, three_outputs.cu multiply.

// Every second pixel of every second row.
extern "C" __global__ void __launch_bounds__(256)
    take_small_map(const float* __restrict__ x,  // [planes, 2·half, 2·half]
                   float* __restrict__ small,    // [planes, half, half]
                   long long count, int half) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const int column = i % half, row = i / half % half;
  small[i] = x[(i / half / half * 2 * half + 2 * row) * 2 * half + 2 * column];
}
