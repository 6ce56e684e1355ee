// kernels/autoencoder/tensor_loss.cu: the last convolution's output, the loss and its gradient, as
// products on tensor cores want them.
//
// The last layer stands after an upsampling: a pixel before it, with all its channels, gives to 16
// pixels of the output, −1 to 2 around the window that it becomes. What it gives to each was made
// by one product; here an output adds up its four, the loss takes its square, and its gradient goes
// back to the same four. Each window writes the gradients of its 16, so that an output is made four
// times and read from cache. Sums of blocks are added up in one order. Look at its time: a few
// bytes per image, and one launch more than the loss must have.
//
//   BF16, PARTS   see tensor_tile.cuh
#define TAPS 1
#include "autoencoder/squares.cuh"
#include "autoencoder/tensor_tile.cuh"

namespace {
using namespace tensor;
constexpr int kChannels = 3, kPlaces = 16, kGiven = kPlaces * kChannels;
}  // namespace

extern "C" __global__ void __launch_bounds__(256)
    tensor_loss(const float* __restrict__ given,   // [N, S/2, S/2, 16, 3]
                const float* __restrict__ bias,    // [3]
                const float* __restrict__ x,       // [N, 3, S, S]
                Element* __restrict__ slopes,      // [N, S/2, S/2, pitch]
                float* __restrict__ y,             // [N, 3, S, S]
                float* __restrict__ partial_sums,  // [blocks]
                int images, int half, int pitch) {
  // 32 bits wide: divisions of 64 bits took longer than all the bytes.
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int place = static_cast<int>(thread % kPlaces), side = 2 * half;
  const unsigned window = thread / kPlaces, line = window / half;
  const int image = static_cast<int>(line / half);
  const int row = static_cast<int>(line % half) * 2 + place / 4 - 1;
  const int column = static_cast<int>(window % half) * 2 + place % 4 - 1;
  const float count = static_cast<float>(images) * kChannels * side * side;
  float sum = 0;
  if (image < images) {
    Element* const to = slopes + static_cast<long long>(window) * PARTS * pitch;
    for (int part = 0; part < PARTS; ++part)
      for (int k = kGiven + place; k < pitch; k += kPlaces) to[part * pitch + k] = rounded(0);
    const bool inside = row >= 0 && row < side && column >= 0 && column < side;
    // A window has four of the 16 places of its own.
    const bool own = (place / 4 == 1 || place / 4 == 2) && (place % 4 == 1 || place % 4 == 2);
    // The image and what the four windows give are under way at once.
    const long long pixel =
        (static_cast<long long>(image) * kChannels * side + row) * side + column;
    float p[kChannels], wanted[kChannels] = {}, given_by[4][kChannels] = {};
    for (int c = 0; c < kChannels; ++c) p[c] = bias[c];
    for (int c = 0; inside && c < kChannels; ++c) wanted[c] = x[pixel + c * side * side];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      // The window that the pixel is in, and the one beside it that reaches it.
      const int down = row / 2 + (k / 2) * (row % 2 * 2 - 1);
      const int across = column / 2 + k % 2 * (column % 2 * 2 - 1);
      if (!inside || down < 0 || down >= half || across < 0 || across >= half) continue;
      const float* const from =
          given + ((static_cast<long long>(image) * half + down) * half + across) * kGiven +
          ((row - 2 * down + 1) * 4 + column - 2 * across + 1) * kChannels;
      for (int c = 0; c < kChannels; ++c) given_by[k][c] = from[c];
    }
#pragma unroll
    for (int k = 0; k < 4; ++k)
      for (int c = 0; c < kChannels; ++c) p[c] += given_by[k][c];
    for (int c = 0; c < kChannels; ++c) {
      float difference = 0;
      if (inside) {
        difference = p[c] - wanted[c];
        if (own) y[pixel + c * side * side] = p[c];
      }
      if (own) sum += difference * difference;
      for (int part = 0; part < PARTS; ++part)
        to[part * pitch + place * kChannels + c] = stored(2 * difference / count, part);
    }
  }
  sum = sum_of_block(sum);
  if (threadIdx.x == 0) partial_sums[blockIdx.x] = sum;
}

extern "C" __global__ void __launch_bounds__(256)
    tensor_loss_sum(const float* __restrict__ partial_sums,  // [blocks]
                    float* __restrict__ loss,                // [1]
                    int blocks, long long count) {
  float sum = 0;
  for (int block = threadIdx.x; block < blocks; block += 256) sum += partial_sums[block];
  sum = sum_of_block(sum);
  if (threadIdx.x == 0) *loss = sum / count;
}
