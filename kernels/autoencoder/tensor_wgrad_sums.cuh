// kernels/autoencoder/tensor_wgrad_sums.cuh: what a thread of tensor_wgrad sums up of two boxes: of
// weights' gradients, and of a bias'.
#pragma once

#include "autoencoder/tensor_tile.cuh"

namespace {
using namespace tensor;
constexpr int kTile = 128;  // channels of either side
constexpr int kPixels = kSliceChannels, kBoxes = kTile / kSliceChannels;
// With one part, four warps have all sums, in half of each thread's registers; with two, whose
// sums take twice as many, eight warps have them.
constexpr bool kHasWideWarps = PARTS == 1;
constexpr int kConsumers = kHasWideWarps ? 128 : 256, kWarps = kConsumers / 32;
constexpr int kBoxBytes = kPixels * kSliceBytes, kTileBytes = kBoxes * kBoxBytes;

// 16 bytes of a tile's channels at a pixel of its boxes.
__device__ __forceinline__ const void* piece_at(const unsigned char* tile, int pixel, int channel) {
  constexpr int kPieceChannels = 16 / sizeof(Element);
  return tile + channel / kSliceChannels * kBoxBytes + pixel * kSliceBytes +
         (channel % kSliceChannels / kPieceChannels ^ pixel % 8) * 16;
}

#if !BF16 && PARTS == 1
// Sums of the output's gradient over pixels, of the words that a lane multiplies: two outputs a
// tile of sixteen, at its two pixels of eight. Warps of the first channels have them all.
struct Biases {
  static constexpr int kGroups = 1;
  float sums[4][2] = {};

  __device__ __forceinline__ void add(int m, const float2& first, const float2& second) {
    sums[m][0] += first.x + second.x;
    sums[m][1] += first.y + second.y;
  }
  // The sum of the channel that is the thread's number; `parts`: memory for a sum of each channel.
  __device__ __forceinline__ float of_channel(float* parts) const {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
    for (int m = 0; m < 4; ++m)
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        float sum = sums[m][i];
        sum += __shfl_xor_sync(0xffffffffu, sum, 1);
        sum += __shfl_xor_sync(0xffffffffu, sum, 2);
        if (lane % 4 == 0 && warp < 2) parts[warp * 64 + m * 16 + lane / 4 * 2 + i] = sum;
      }
    wait_for_threads(1, kConsumers);
    return parts[threadIdx.x];
  }
};
#else
// Sums of the output's gradient over pixels. A thread has a piece of the channels at every
// so-manieth pixel.
struct Biases {
  static constexpr int kChannels = 16 / sizeof(Element), kPieces = kTile / kChannels;
  static constexpr int kGroups = kConsumers / kPieces;
  float sums[kChannels] = {};

  __device__ __forceinline__ void add(const unsigned char* dy) {
#pragma unroll
    for (int pixel = 0; pixel < kPixels; pixel += kGroups) {
      struct alignas(16) Piece {
        Element channels[kChannels];
      };
      const Piece piece =
          *static_cast<const Piece*>(piece_at(dy, pixel + static_cast<int>(threadIdx.x) / kPieces,
                                              static_cast<int>(threadIdx.x) % kPieces * kChannels));
#pragma unroll
      for (int i = 0; i < kChannels; ++i) sums[i] += number(piece.channels[i]);
    }
  }
  // The sum of the channel that is the thread's number, over the groups, in one order; `parts` is
  // memory for kGroups sums of each channel.
  __device__ __forceinline__ float of_channel(float* parts) const {
#pragma unroll
    for (int i = 0; i < kChannels; ++i) parts[threadIdx.x * kChannels + i] = sums[i];
    wait_for_threads(1, kConsumers);
    float all = 0;
    if (threadIdx.x < kTile)
      for (int group = 0; group < kGroups; ++group) all += parts[group * kTile + threadIdx.x];
    return all;
  }
};
#endif

#if BF16
// The warpgroup's sums: twice 64 outputs × 128 channels.
struct Sums {
  static constexpr int kHalves = 2, kValues = 64;
  float d[kHalves][kValues] = {};

  static __device__ __forceinline__ void multiply(float (&d)[kValues], unsigned long long a,
                                                  unsigned long long b) {
    MULTIPLY_128(d, a, b, ", 1, 1");
  }
  __device__ void add(const unsigned char* dy, const unsigned char* x, Biases& bias, bool biases) {
    const unsigned long long a = descriptor(shared_address(dy), kBoxBytes);
    const unsigned long long b = descriptor(shared_address(x), kBoxBytes);
    hold(d[0]);
    hold(d[1]);
    begin_products();
#pragma unroll
    for (int half = 0; half < kHalves; ++half)
#pragma unroll
      for (int part = 0; part < kPixels / 16; ++part) {
        // Sixteen rows of 128 bytes further, in pieces of 16.
        multiply(d[half], a + half * (kBoxBytes >> 4) + part * 128, b + part * 128);
      }
    commit_products();
    if (biases) bias.add(dy);
    wait_for_products<0>();
    hold(d[0]);
    hold(d[1]);
  }
  __device__ __forceinline__ float value(int i) const { return d[i / kValues][i % kValues]; }
  static __device__ __forceinline__ int row_of(int i) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    return i / kValues * 64 + warp * 16 + lane / 4 + i / 2 % 2 * 8;
  }
  static __device__ __forceinline__ int column_of(int i) {
    return i % kValues / 4 * 8 + static_cast<int>(threadIdx.x) % 4 * 2;
  }
  template <typename Store>
  __device__ void each(Store store) const {
#pragma unroll
    for (int i = 0; i < kHalves * kValues; i += 2) {
      const float sums[] = {value(i), value(i + 1)};
      store(row_of(i), column_of(i), sums);
    }
  }
};
#else
// A warp's sums, 64 outputs × 64 or 32 channels: with 64 it asks for a third fewer words per
// product. What mma calls rows g and g + 8 of a tile are two channels of dy side by side, so that a
// lane takes both at once, into registers that stand as mma wants them. Lanes of a quad take pixels
// two apart and, as their second, the ones between: no two words of a request meet in a bank.
struct Sums {
  static constexpr int kAcross = kHasWideWarps ? 8 : 4;  // products of eight channels
  float d[4][kAcross][4] = {};
  // Where the lane's first words lie in the first eight pixels, of which it has two side by side:
  // what swizzles a piece is its pixel's number of the eight.
  int first_of_dy, first_of_x;

  __device__ Sums() {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, pixel = lane % 4 * 2;
    first_of_dy = warp % 2 * 2 * kBoxBytes + pixel * kSliceBytes + (g / 2 ^ pixel) * 16 + g % 2 * 8;
    first_of_x = warp / 2 * (kAcross / 4) * kBoxBytes + pixel * kSliceBytes + (g / 4 ^ pixel) * 16 +
                 g % 4 * 4;
    // Kept, not made again for each box.
    asm volatile("" : "+r"(first_of_dy), "+r"(first_of_x));
  }
  // No sums yet, at the places of others.
  __device__ Sums(const Sums& others, int)
      : first_of_dy(others.first_of_dy), first_of_x(others.first_of_x) {}
  // The same of the lane's pixel k, in the m-th sixteen outputs and the n-th eight channels: pieces
  // further are other bits.
  __device__ __forceinline__ int at_dy(int k, int m) const {
    return (first_of_dy ^ m % 2 * 64 ^ k * 16) + k * kSliceBytes + m / 2 * kBoxBytes;
  }
  __device__ __forceinline__ int at_x(int k, int n) const {
    return (first_of_x ^ n % 4 * 32 ^ k * 16) + k * kSliceBytes + n / 4 * kBoxBytes;
  }

#if PARTS == 2
  // As in tensor_conv: tensor cores cut off, and so add up no more than a box.
  __device__ void add(const unsigned char* dy, const unsigned char* x, Biases& bias, bool biases) {
    if (biases) bias.add(dy), bias.add(dy + kTileBytes);
    Sums of_box(*this, 0);
    of_box.add_parts(dy + kTileBytes, x);
    of_box.add_parts(dy, x + kTileBytes);
    of_box.add_parts(dy, x);
#pragma unroll
    for (int m = 0; m < 4; ++m)
#pragma unroll
      for (int n = 0; n < kAcross; ++n)
#pragma unroll
        for (int i = 0; i < 4; ++i) d[m][n][i] += of_box.d[m][n][i];
  }
#else
  __device__ void add(const unsigned char* dy, const unsigned char* x, Biases& bias, bool biases) {
    // Each loop of its own: a branch between products would keep loads after it.
    if (biases && threadIdx.x < 64) {
      add_parts(dy, x, [&](int m, const float2(&a)[2]) { bias.add(m, a[0], a[1]); });
    } else {
      add_parts(dy, x);
    }
  }
#endif
  struct Nothing {
    __device__ void operator()(int, const float2 (&)[2]) const {}
  };
  template <typename See = Nothing>
  __device__ void add_parts(const unsigned char* dy, const unsigned char* x, See see = {}) {
    constexpr int kUnrolled = PARTS == 1 ? kPixels / 8 : 1;  // of two parts registers go before
#pragma unroll kUnrolled
    for (int eight = 0; eight < kPixels; eight += 8) {
      const unsigned char* const rows_of_dy = dy + eight * kSliceBytes;
      const unsigned char* const rows_of_x = x + eight * kSliceBytes;
      float b[kAcross][2];
#pragma unroll
      for (int n = 0; n < kAcross; ++n)
#pragma unroll
        for (int k = 0; k < 2; ++k)
          b[n][k] = *reinterpret_cast<const float*>(rows_of_x + at_x(k, n));
#pragma unroll
      for (int m = 0; m < 4; ++m) {
        float2 a[2];
#pragma unroll
        for (int k = 0; k < 2; ++k)
          a[k] = *reinterpret_cast<const float2*>(rows_of_dy + at_dy(k, m));
        see(m, a);
#pragma unroll
        for (int n = 0; n < kAcross; ++n)
          asm volatile(
              "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, "
              "%7}, {%8, %9}, {%0, %1, %2, %3};"
              : "+f"(d[m][n][0]), "+f"(d[m][n][1]), "+f"(d[m][n][2]), "+f"(d[m][n][3])
              : "r"(__float_as_uint(a[0].x)), "r"(__float_as_uint(a[0].y)),
                "r"(__float_as_uint(a[1].x)), "r"(__float_as_uint(a[1].y)),
                "r"(__float_as_uint(b[n][0])), "r"(__float_as_uint(b[n][1])));
      }
    }
  }
  // `i` counts, slowest first: sixteen rows, every second of them, eight columns, two columns.
  __device__ __forceinline__ float value(int i) const {
    return d[i / (4 * kAcross)][i / 2 % kAcross][i / (2 * kAcross) % 2 * 2 + i % 2];
  }
  static __device__ __forceinline__ int row_of(int i) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    return warp % 2 * 64 + i / (4 * kAcross) * 16 + lane / 4 * 2 + i / (2 * kAcross) % 2;
  }
  static __device__ __forceinline__ int column_of(int i) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    return (warp / 2 * kAcross + i / 2 % kAcross) * 8 + lane % 4 * 2;
  }
  template <typename Store>
  __device__ void each(Store store) const {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
    for (int m = 0; m < 4; ++m)
#pragma unroll
      for (int half = 0; half < 2; ++half)
#pragma unroll
        for (int n = 0; n < kAcross; ++n) {
          const float sums[] = {d[m][n][half * 2], d[m][n][half * 2 + 1]};
          store(warp % 2 * 64 + m * 16 + lane / 4 * 2 + half,
                (warp / 2 * kAcross + n) * 8 + lane % 4 * 2, sums);
        }
  }
};
#endif
}  // namespace
