// kernels/deform_backward/samples.cuh: where a level and a sample lie, and what a group is.
#pragma once

#include <cuda_fp16.h>

// Compile-time: LEVELS, POINTS (of a level), CHANNELS (of a head), HEADS, and TYPE of value,
// weight and grad_out: 0: f32, 1: f16. Locations have the same type, gradients are f32.
// Parameters, in this order, followed by a kernel's own:
//
//   value       [batch][rows][HEADS][CHANNELS]  a level after the other, (height+2)·(width+2) rows
//                                               each: a ring of one pixel lies around it
//   shapes      [LEVELS][2]                     i64: height and width, without the ring
//   starts      [LEVELS]                        i64: a level's first row
//   loc         [batch][queries][HEADS][LEVELS][POINTS]  x and y, 0 to 1 from border to border
//   weight      [batch][queries][HEADS][LEVELS][POINTS]
//   grad_out    [batch][queries][HEADS][CHANNELS]
//   grad_value  as value, zeros before the kernel
//   grad_loc    as loc
//   grad_weight as weight
//   int batch, int queries, int rows            rows of an image: of all its levels
//
// A query and head is a group: it has LEVELS·POINTS samples and CHANNELS channels. Rows of an
// image times HEADS·CHANNELS stay below 2³¹, products with batch·queries may pass it.

constexpr int kSamples = LEVELS * POINTS;       // of a group
constexpr int kPixelStride = HEADS * CHANNELS;  // elements from one pixel of a head to the next

#if TYPE == 0
using Value = float;
using Location = float2;
#else
using Value = __half;
using Location = __half2;
#endif

__device__ __forceinline__ float widened(float v) { return v; }
__device__ __forceinline__ float widened(__half v) { return __half2float(v); }
__device__ __forceinline__ float2 widened(float2 v) { return v; }
__device__ __forceinline__ float2 widened(__half2 v) { return __half22float2(v); }

// Four neighbouring elements by one load.
__device__ __forceinline__ float4 load_quad(const float* from) {
  return __ldg(reinterpret_cast<const float4*>(from));
}
__device__ __forceinline__ float4 load_quad(const __half* from) {
  const uint2 bits = __ldg(reinterpret_cast<const uint2*>(from));
  __half2 low, high;
  memcpy(&low, &bits.x, sizeof low);
  memcpy(&high, &bits.y, sizeof high);
  const float2 a = __half22float2(low), b = __half22float2(high);
  return make_float4(a.x, a.y, b.x, b.y);
}

struct Level {
  int height, width;  // without the ring
  int first_row;
  __device__ __forceinline__ int columns() const { return width + 2; }
};
__device__ __forceinline__ Level level_of(const long long* __restrict__ shapes,
                                          const long long* __restrict__ starts, int l) {
  const longlong2 size = __ldg(reinterpret_cast<const longlong2*>(shapes) + l);
  return {static_cast<int>(size.x), static_cast<int>(size.y), static_cast<int>(__ldg(starts + l))};
}

// A sample's place, in pixels of the level with its ring. It is rounded to f32 once; its fractions
// are exact.
struct Sample {
  bool inside;  // only then is the rest meant
  int row;      // of the upper left corner, from the image's first
  float dx, dy;
};
__device__ __forceinline__ Sample sample_at(Location location, const Level& level) {
  const float2 at = widened(location);
  const float x = fmaf(at.x, static_cast<float>(level.width), 0.5f);
  const float y = fmaf(at.y, static_cast<float>(level.height), 0.5f);
  const float left = floorf(x), top = floorf(y);
  return {0.0f < x && x < static_cast<float>(level.width + 1) && 0.0f < y &&
              y < static_cast<float>(level.height + 1),
          level.first_row + static_cast<int>(top) * level.columns() + static_cast<int>(left),
          x - left, y - top};
}

struct Group {
  bool is_there;   // the last block has threads without a group
  unsigned index;  // of all images
  int image, head;
};
__device__ __forceinline__ Group group_at(unsigned index, int batch, int queries) {
  const unsigned query = index / HEADS;
  const bool is_there = query < static_cast<unsigned>(batch) * static_cast<unsigned>(queries);
  return {is_there, index, is_there ? static_cast<int>(query / static_cast<unsigned>(queries)) : 0,
          static_cast<int>(index % HEADS)};
}

// The first channel of an image's first pixel: an offset for value and for grad_value.
__device__ __forceinline__ long long first_pixel_of(const Group& group, int rows) {
  return static_cast<long long>(group.image) * rows * kPixelStride + group.head * CHANNELS;
}
__device__ __forceinline__ long long first_sample_of(const Group& group) {
  return static_cast<long long>(group.index) * kSamples;
}

// What a sample's gradients are sums of, over channels: the product of a channel of grad_out with
// each corner: upper left, upper right, lower left, lower right.
struct Products {
  float upper_left, upper_right, lower_left, lower_right;
};
struct Sums {
  float x = 0.0f, y = 0.0f,
        weight = 0.0f;  // x, y: before the attention weight and the level's size
};
__device__ __forceinline__ Sums sums_of(const Products& p, float dx, float dy) {
  return {(1.0f - dy) * (p.upper_right - p.upper_left) + dy * (p.lower_right - p.lower_left),
          (1.0f - dx) * (p.lower_left - p.upper_left) + dx * (p.lower_right - p.upper_right),
          (1.0f - dy) * ((1.0f - dx) * p.upper_left + dx * p.upper_right) +
              dy * ((1.0f - dx) * p.lower_left + dx * p.lower_right)};
}
// The gradient of a location from the finished sums.
__device__ __forceinline__ float2 location_gradient(const Sums& sums, float attention,
                                                    const Level& level) {
  return make_float2(sums.x * attention * static_cast<float>(level.width),
                     sums.y * attention * static_cast<float>(level.height));
}
