// kernels/autoencoder/wgrad_split_k.cu: images are shared out among blocks, and their sums added up
// at the end.
//
// Against nchw_wgrad: the sum over all pixels of a batch is the long side of this product, and one
// thread for each pair of channels leaves most of a device idle. Here a layer of the grid takes a
// share of the images, and a second kernel adds up the shares in one order, so that two runs give
// the same bits. Look at the blocks, and at the bytes of the shares.
#include "autoencoder/nine_sums.cuh"

extern "C" __global__ void __launch_bounds__(256)
    wgrad_split_k(const float* __restrict__ x,   // [images, in, side, side]
                  const float* __restrict__ dy,  // [images, out, side, side]
                  float* __restrict__ shares,    // [gridDim.z, out, in, 3, 3]
                  int images, int in, int out, int side) {
  const int c = blockIdx.x * 16 + threadIdx.x, k = blockIdx.y * 16 + threadIdx.y;
  if (c >= in || k >= out) return;
  const long long plane = static_cast<long long>(side) * side;
  const long long splits = gridDim.z, first = images * static_cast<long long>(blockIdx.z) / splits;
  const long long end = images * (static_cast<long long>(blockIdx.z) + 1) / splits;
  float sums[9] = {};
  for (long long image = first; image < end; ++image) {
    add_plane(sums, x + (image * in + c) * plane, dy + (image * out + k) * plane, side);
  }
  const long long pairs = static_cast<long long>(out) * in;
  float* const share = shares + (blockIdx.z * pairs + static_cast<long long>(k) * in + c) * 9;
#pragma unroll
  for (int tap = 0; tap < 9; ++tap) share[tap] = sums[tap];
}

extern "C" __global__ void __launch_bounds__(256)
    add_shares(const float* __restrict__ shares,  // [splits, weights]
               float* __restrict__ dw,            // [weights]
               long long weights, int splits) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= weights) return;
  float sum = 0;
  for (int s = 0; s < splits; ++s) sum += shares[s * weights + i];
  dw[i] = sum;
}
