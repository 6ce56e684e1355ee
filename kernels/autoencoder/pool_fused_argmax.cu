// kernels/autoencoder/pool_fused_argmax.cu: the fused pool keeps the places of maxima in two bits
// each, and the weights' gradient visits those pixels alone.
//
// Against fused_relu_pool: a warp asks its 32 lanes for either bit of their places, and one lane
// stores both words: 8 bytes in place of 128. Against a pool's gradient and the weights' after it:
// three of four pixels have none, so that a quarter of the products is left, the large map of
// gradients is neither cleared, written nor read, and a window whose maximum is not positive is
// passed over, as the ReLU does. Look at the bytes, and at the lanes that leave with such windows.
//
// The low bit of window i's place is bit i % 32 of places[i / 32].x, the high bit is that of .y.
#include "autoencoder/window_sums.cuh"

constexpr unsigned kAllLanes = 0xffffffff;

// All 32 lanes arrive, those beyond the last window too.
__device__ inline void store_places(unsigned place, long long i, long long count,
                                    uint2* __restrict__ places) {
  const unsigned low = __ballot_sync(kAllLanes, place & 1);
  const unsigned high = __ballot_sync(kAllLanes, place & 2);
  if (threadIdx.x % 32 == 0 && i < count) places[i / 32] = make_uint2(low, high);
}

extern "C" __global__ void __launch_bounds__(256)
    pool_fused_argmax(const float* __restrict__ x,  // [images, in, 2·half, 2·half]
                      const float* __restrict__ w,  // [out, in, 3, 3]
                      const float* __restrict__ b,  // [out]
                      float* __restrict__ y,        // [images, out, half, half]
                      uint2* __restrict__ places,   // a pair of words for 32 of y
                      long long count, int in, int out, int half) {
  const long long i = thread_index();
  Best best;
  if (i < count) {
    best = pooled_window(x, w, b, i, in, out, half);
    y[i] = best.value;
  }
  store_places(best.place, i, count, places);
}

// Places of another pass, of 32 bits each, as the forward pass of this one leaves them.
extern "C" __global__ void __launch_bounds__(256)
    pack_places(const unsigned* __restrict__ argmax,  // [count]: 0 … 3
                uint2* __restrict__ places, long long count) {
  const long long i = thread_index();
  store_places(i < count ? argmax[i] : 0, i, count, places);
}

// A block has one output channel and at most three input channels, a thread every 256th window.
// Sums of threads are added by shuffles and through shared memory, in an order that never changes.
extern "C" __global__ void __launch_bounds__(256)
    argmax_wgrad(const float* __restrict__ x,       // [images, in, 2·half, 2·half]
                 const float* __restrict__ y,       // [images, out, half, half]
                 const uint2* __restrict__ places,  // of y's windows
                 const float* __restrict__ dy,      // as y
                 float* __restrict__ dw,            // [out, in, 3, 3]
                 float* __restrict__ db,            // [out]
                 int images, int in, int out, int half) {
  constexpr int kChannels = 3, kSums = 9 * kChannels + 1, kWarps = 8;
  __shared__ float of_warp[kWarps][kSums];
  const int k = blockIdx.y, first = blockIdx.x * kChannels, side = 2 * half;
  const long long windows = static_cast<long long>(half) * half, all = images * windows;
  float sums[kSums] = {};  // nine for each channel, then the bias
  for (long long j = threadIdx.x; j < all; j += 256) {
    const long long image = j / windows, i = (image * out + k) * windows + j % windows;
    if (!(y[i] > 0)) continue;
    const uint2 bits = places[i / 32];
    const int lane = i % 32, window = j % windows;
    const int row = 2 * (window / half) + (bits.y >> lane & 1);
    const int column = 2 * (window % half) + (bits.x >> lane & 1);
    const float d = dy[i];
    sums[kSums - 1] += d;
#pragma unroll
    for (int c = 0; c < kChannels; ++c) {
      if (first + c >= in) break;
      const float* const pixels = x + (image * in + first + c) * side * side;
#pragma unroll
      for (int tap = 0; tap < 9; ++tap) {
        const int r = row + tap / 3 - 1, q = column + tap % 3 - 1;
        if (r >= 0 && r < side && q >= 0 && q < side) sums[9 * c + tap] += d * pixels[r * side + q];
      }
    }
  }
#pragma unroll
  for (int s = 0; s < kSums; ++s) {
    for (int step = 16; step > 0; step /= 2) sums[s] += __shfl_down_sync(kAllLanes, sums[s], step);
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32][s] = sums[s];
  }
  __syncthreads();
  const int s = threadIdx.x;
  if (s >= kSums) return;
  float sum = 0;
  for (int warp = 0; warp < kWarps; ++warp) sum += of_warp[warp][s];
  if (s == kSums - 1) {
    if (blockIdx.x == 0) db[k] = sum;
  } else if (first + s / 9 < in) {
    dw[(static_cast<long long>(k) * in + first) * 9 + s] = sum;
  }
}
