// kernels/autoencoder/three_outputs.cu: the layer that makes an image of many channels, after an
// upsampling: as four filters of 2×2 on the small map, forward and for gradients of weights.
//
// Against upsample_folded's product of tiles: three outputs would fill three rows of 32. Here a
// thread makes two small pixels with all four phases of all three outputs, 24 sums, so that twelve
// pixels and twelve pieces of weights serve 96 products; the warps of a block share out the
// channels and add up at the end. The gradient of weights has a warp for each channel and share of
// the pixels, 48 sums a thread, and its lanes add up once. Look at the share of multiply-adds, and
// at lines: weights are one a request, as all lanes read the same.
//
//   IN, HALF  channels, and the side of the small map
//   SPLITS    shares of pixels of the gradient
#include "autoencoder/packed_weights.cuh"

constexpr int kOut = 3, kPairs = (HALF + 1) / 2;  // of a row
constexpr int kPlane = HALF * HALF, kSide = 2 * HALF, kWarps = 8;
constexpr unsigned kAllLanes = 0xffffffff;

struct Pair {
  int image, row, column;
  bool there, whole;  // whole: its second pixel is inside of the map
};
__device__ __forceinline__ Pair pair_at(int i, int images) {
  const int column = i % kPairs * 2;
  return {i / kPairs / HALF, i / kPairs % HALF, column, i < images * HALF * kPairs,
          column + 1 < HALF};
}

// Two pixels with what lies around them, zeros outside of the map.
__device__ __forceinline__ void load_around(float (&around)[3][4], const float* __restrict__ plane,
                                            const Pair& at) {
#pragma unroll
  for (int i = 0; i < 12; ++i) {
    const int r = at.row + i / 4 - 1, q = at.column + i % 4 - 1;
    const bool inside =
        at.there && static_cast<unsigned>(r) < HALF && static_cast<unsigned>(q) < HALF;
    around[i / 4][i % 4] = inside ? plane[r * HALF + q] : 0.0f;
  }
}

extern "C" __global__ void __launch_bounds__(32 * kWarps)
    three_outputs(const float* __restrict__ small,    // [images, in, half, half]
                  const float4* __restrict__ packed,  // [in, 4, 3] of 2×2
                  const float* __restrict__ b,        // [3]
                  float* __restrict__ y,              // [images, 3, 2·half, 2·half]
                  int images) {
  constexpr int kSums = 4 * kOut * 2;
  __shared__ float of_warp[kWarps][kSums][32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const Pair at = pair_at(blockIdx.x * 32 + lane, images);
  const float* const image = small + static_cast<long long>(at.there ? at.image : 0) * IN * kPlane;
  float sums[kSums] = {};
  for (int in = warp; in < IN; in += kWarps) {
    float around[3][4];
    load_around(around, image + in * kPlane, at);
#pragma unroll
    for (int f = 0; f < 4 * kOut; ++f) {
      const float4 w = packed[in * 4 * kOut + f];
      const int down = f / kOut / 2, across = f / kOut % 2;
#pragma unroll
      for (int p = 0; p < 2; ++p) {
        float& sum = sums[2 * f + p];
        sum += around[down][across + p] * w.x;
        sum += around[down][across + p + 1] * w.y;
        sum += around[down + 1][across + p] * w.z;
        sum += around[down + 1][across + p + 1] * w.w;
      }
    }
  }
#pragma unroll
  for (int s = 0; s < kSums; ++s) of_warp[warp][s][lane] = sums[s];
  __syncthreads();
  if (!at.there) return;
  for (int s = warp; s < kSums; s += kWarps) {
    const int phase = s / 2 / kOut, out = s / 2 % kOut;
    if (s % 2 == 1 && !at.whole) continue;
    float sum = b[out];
#pragma unroll
    for (int other = 0; other < kWarps; ++other) sum += of_warp[other][s][lane];
    y[((static_cast<long long>(at.image) * kOut + out) * kSide + 2 * at.row + phase / 2) * kSide +
      2 * (at.column + s % 2) + phase % 2] = sum;
  }
}

extern "C" __global__ void __launch_bounds__(32 * kWarps)
    three_outputs_wgrad(const float* __restrict__ small,  // [images, in, half, half]
                        const float* __restrict__ dy,     // [images, 3, 2·half, 2·half]
                        // [splits, in, 4, 3, 2, 2], and after them [splits, 3] of biases
                        float* __restrict__ shares, int images) {
  constexpr int kSums = 16 * kOut;
  const int lane = threadIdx.x % 32, in = blockIdx.x * kWarps + threadIdx.x / 32;
  if (in >= IN) return;
  const int share = blockIdx.y, all = (images * HALF * kPairs + 31) / 32;
  const int end = (share + 1) * all / SPLITS;
  float sums[kSums] = {}, biases[kOut] = {};
  for (int i = share * all / SPLITS; i < end; ++i) {
    const Pair at = pair_at(i * 32 + lane, images);
    if (!at.there) continue;
    float around[3][4];
    load_around(around, small + (static_cast<long long>(at.image) * IN + in) * kPlane, at);
#pragma unroll
    for (int out = 0; out < kOut; ++out) {
#pragma unroll
      for (int odd_row = 0; odd_row < 2; ++odd_row) {
        const float2* const row = reinterpret_cast<const float2*>(
            dy +
            ((static_cast<long long>(at.image) * kOut + out) * kSide + 2 * at.row + odd_row) *
                kSide +
            2 * at.column);
        const float2 left = row[0], right = at.whole ? row[1] : make_float2(0, 0);
        const float d[2][2] = {{left.x, left.y}, {right.x, right.y}};
        if (in == 0) biases[out] += left.x + left.y + right.x + right.y;
#pragma unroll
        for (int odd_column = 0; odd_column < 2; ++odd_column) {
          const int first = ((2 * odd_row + odd_column) * kOut + out) * 4;
#pragma unroll
          for (int tap = 0; tap < 4; ++tap) {
#pragma unroll
            for (int p = 0; p < 2; ++p)
              sums[first + tap] +=
                  d[p][odd_column] * around[odd_row + tap / 2][p + odd_column + tap % 2];
          }
        }
      }
    }
  }
  float* const to = shares + (static_cast<long long>(share) * IN + in) * kSums;
#pragma unroll
  for (int s = 0; s < kSums; ++s) {
    for (int step = 16; step > 0; step /= 2) sums[s] += __shfl_down_sync(kAllLanes, sums[s], step);
    if (lane == 0) to[s] = sums[s];
  }
  if (in > 0) return;
#pragma unroll
  for (int out = 0; out < kOut; ++out) {
    for (int step = 16; step > 0; step /= 2)
      biases[out] += __shfl_down_sync(kAllLanes, biases[out], step);
    if (lane == 0)
      shares[static_cast<long long>(SPLITS) * IN * kSums + share * kOut + out] = biases[out];
  }
}

// A thread a weight, which stands in one filter of each phase, and then a thread a bias.
extern "C" __global__ void __launch_bounds__(256)
    add_three_outputs(const float* __restrict__ shares,
                      float* __restrict__ dw,    // [3, in, 3, 3]
                      float* __restrict__ db) {  // [3]
  constexpr int kSums = 16 * kOut, kWeights = kOut * IN * 9;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= kWeights + kOut) return;
  float sum = 0;
  if (i >= kWeights) {
    const float* const of_biases = shares + static_cast<long long>(SPLITS) * IN * kSums;
    for (int s = 0; s < SPLITS; ++s) sum += of_biases[s * kOut + i - kWeights];
    db[i - kWeights] = sum;
    return;
  }
  const int tap = i % 9, in = i / 9 % IN, out = i / 9 / IN;
  for (int phase = 0; phase < 4; ++phase) {
    const int its_tap = 2 * folded_tap(tap / 3, phase / 2) + folded_tap(tap % 3, phase % 2);
    for (int s = 0; s < SPLITS; ++s)
      sum += shares[(s * IN + in) * kSums + (phase * kOut + out) * 4 + its_tap];
  }
  dw[i] = sum;
}
