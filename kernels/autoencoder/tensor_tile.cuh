// kernels/autoencoder/tensor_tile.cuh: boxes of pixels and products of warpgroups, for convolutions
// on tensor cores.
#pragma once
#include "tensor_copy.cuh"

// Maps lie as [N, S, S, channels], channels padded with zeros to whole slices: 128 bytes, 32
// channels of TF32 or 64 of bf16. A box has a slice of 8 × rows × images pixels; what lies outside
// of the map arrives as zeros, which is the padding of the convolution. A pixel's slice is a row of
// shared memory, swizzled by 128 bytes, and a warpgroup's operand as it lies.
//
//   BF16   0: TF32, four bytes per element, rounded where maps are written; 1: bfloat16
//   TAPS   what is summed over, and how a box lies in the map that is read:
//          1   the pixel itself
//          9   a filter of 3×3 around it; MIRRORED 1: back from the output, the filter turned
//          4   after an upsampling: one of four filters of 2×2 (the phase) on the small map
//          16  back from there: what the nine taps of four pixels read in the large map
//   PARTS  1, or of TF32 2: a number lies as two, after the rounded channels of a pixel or of a
//          row of a filter the same number of channels again, what rounding left of each. Three
//          products of them are as good as one of f32: what both left is lost
#ifndef PARTS
#define PARTS 1
#endif

namespace tensor {

constexpr int kSliceBytes = 128;
#if BF16
using Element = unsigned short;  // its bits
constexpr int kSliceChannels = 64;
#define PRODUCT_TYPES ".f32.bf16.bf16"
#define PRODUCT_DEPTH "k16"
#define PRODUCT_ORDERS ", 0, 0"
#else
using Element = float;
constexpr int kSliceChannels = 32;
#define PRODUCT_TYPES ".f32.tf32.tf32"
#define PRODUCT_DEPTH "k8"
#define PRODUCT_ORDERS ""
#endif
constexpr int kBoxWidth = 8;  // pixels of a box in a row

__device__ __forceinline__ Element rounded(float x) {
#if BF16
  unsigned short bits;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(x));
  return bits;
#else
  unsigned bits;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
  return __uint_as_float(bits);
#endif
}
__device__ __forceinline__ float number(Element x) {
#if BF16
  return __uint_as_float(static_cast<unsigned>(x) << 16);
#else
  return x;
#endif
}
// What a map or a filter holds of a number in a part.
__device__ __forceinline__ Element stored(float x, int part) {
  const Element first = rounded(x);
  return part == 0 ? first : rounded(x - number(first));
}
// Channels of one part, padded to whole slices.
__device__ __forceinline__ int padded(int channels) {
  return (channels + kSliceChannels - 1) / kSliceChannels * kSliceChannels;
}
// Keeps what is no number.
__device__ __forceinline__ float relu(float x) { return x < 0 ? 0.0f : x; }

// Where a box of pixels begins. A map of twice the side is read as four maps, one a place in its
// 2×2 windows: `beside` counts channels from the left pixel of a window, `below` rows.
struct Corner {
  int x, y, beside, below;
};

// The corner of a filter's tap; `pitch`: channels of a pixel in the map that is read.
__device__ __forceinline__ Corner corner_of(int tap, int phase, int x, int y, int pitch) {
#if TAPS == 9
  return {x + tap % 3 - 1, y + tap / 3 - 1, 0, 0};
#elif TAPS == 4
  return {x + phase % 2 - 1 + tap % 2, y + phase / 2 - 1 + tap / 2, 0, 0};
#elif TAPS == 16
  // Pixels −1 to 2 around the window: an odd one is the window's second.
  const int across = tap % 4 - 1, down = tap / 4 - 1;
  return {x + (across >> 1), y + (down >> 1), (across & 1) * pitch, down & 1};
#else
  return {x, y, 0, 0};
#endif
}

// Which filter a tap multiplies by.
__device__ __forceinline__ int filter_of(int tap, int phase) {
#if TAPS == 9 && MIRRORED
  return 8 - tap;
#elif TAPS == 4
  // The tap's pixel reaches the phase's output by its pixel −1 to 2, counted from 0.
  return (3 - phase / 2 - tap / 2 * 2) * 4 + 3 - phase % 2 - tap % 2 * 2;
#else
  return tap;
#endif
}

// Copies the box of a map of five dimensions: channels of two pixels beside each other, columns,
// rows of two, rows, images.
__device__ __forceinline__ void copy_pixels(unsigned destination, const TensorMap& map, int channel,
                                            const Corner& corner, int image, unsigned barrier) {
  asm volatile(
      "cp.async.bulk.tensor.5d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, "
      "%3, %4, %5, %6}], [%7];" ::"r"(destination),
      "l"(&map), "r"(channel + corner.beside), "r"(corner.x), "r"(corner.below), "r"(corner.y),
      "r"(image), "r"(barrier)
      : "memory");
}

// source: PTX ISA, "Matrix Descriptor Format": rows of 128 bytes, swizzled, eight of them 1024.
__device__ __forceinline__ unsigned long long descriptor(unsigned address, int leading = 16) {
  return (address & 0x3ffff) >> 4 | static_cast<unsigned long long>(leading >> 4) << 16 |
         1024ull >> 4 << 32 | 1ull << 62;
}

#define SUMS_8(i)                                                                             \
  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), \
      "+f"(d[i + 6]), "+f"(d[i + 7])
#define SUMS_32(i) SUMS_8(i), SUMS_8(i + 8), SUMS_8(i + 16), SUMS_8(i + 24)
#define NAMES_32                                                                                  \
  "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25" \
  ",%26,%27,%28,%29,%30,%31"
#define NAMES_64                                                                                 \
  NAMES_32                                                                                       \
  ",%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54" \
  ",%55,%56,%57,%58,%59,%60,%61,%62,%63"

// d += a · b of 64 pixels × 128 or 64 outputs and a quarter of a slice. `orders`: which of the
// operands, of bf16, has its depth outside.
#define MULTIPLY_128(d, a, b, orders)                                                  \
  asm volatile(                                                                        \
      "{\n.reg .pred p;\nsetp.ne.b32 p, %66, 0;\n"                                     \
      "wgmma.mma_async.sync.aligned.m64n128" PRODUCT_DEPTH PRODUCT_TYPES " {" NAMES_64 \
      "}, %64, %65, p, 1, 1" orders ";\n}"                                             \
      : SUMS_32(0), SUMS_32(32)                                                        \
      : "l"(a), "l"(b), "r"(1))
#define MULTIPLY_64(d, a, b, orders)                                                  \
  asm volatile(                                                                       \
      "{\n.reg .pred p;\nsetp.ne.b32 p, %34, 0;\n"                                    \
      "wgmma.mma_async.sync.aligned.m64n64" PRODUCT_DEPTH PRODUCT_TYPES " {" NAMES_32 \
      "}, %32, %33, p, 1, 1" orders ";\n}"                                            \
      : SUMS_32(0)                                                                    \
      : "l"(a), "l"(b), "r"(1))

__device__ __forceinline__ void multiply(float (&d)[64], unsigned long long a,
                                         unsigned long long b) {
  MULTIPLY_128(d, a, b, PRODUCT_ORDERS);
}
__device__ __forceinline__ void multiply(float (&d)[32], unsigned long long a,
                                         unsigned long long b) {
  MULTIPLY_64(d, a, b, PRODUCT_ORDERS);
}

// Keeps the compiler from moving uses of the sums across.
template <int count>
__device__ __forceinline__ void hold(float (&d)[count]) {
#pragma unroll
  for (int i = 0; i < count; ++i) asm volatile("" : "+f"(d[i])::"memory");
}
__device__ __forceinline__ void begin_products() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ __forceinline__ void commit_products() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int left>
__device__ __forceinline__ void wait_for_products() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(left) : "memory");
}

}  // namespace tensor
