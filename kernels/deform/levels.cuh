// kernels/deform/levels.cuh: what every kernel of ours is told, where a level lies and which sum a
// thread has a part of.
#pragma once

#include <cuda_fp16.h>

// Compile-time: LEVELS, POINTS (of a level), CHANNELS (of a head, a multiple of 8) and HEADS.
// Parameters, in this order, followed by a kernel's own:
//
//   value   [batch][rows][HEADS][CHANNELS]  a level after the other, each (height+2)·(width+2)
//   rows:
//                                           a ring of one pixel lies around it
//   shapes  [LEVELS][2]                     i64: height and width, without the ring
//   starts  [LEVELS]                        i64: a level's first row
//   loc     [batch][queries][HEADS][LEVELS][POINTS][2]  x and y, 0 to 1 from border to border
//   weight  [batch][queries][HEADS][LEVELS][POINTS]
//   out     [batch][queries][HEADS][CHANNELS]
//   int batch, int queries, int rows        rows of an image: of all its levels
//
// A query and head is a group: it has LEVELS·POINTS samples and CHANNELS sums. Rows of an image
// times HEADS·CHANNELS stay below 2³¹, products with batch·queries may pass it.

constexpr int kSamples = LEVELS * POINTS;       // of a group
constexpr int kPixelStride = HEADS * CHANNELS;  // elements from one pixel of a head to the next
constexpr int kLaneChannels = 8;                // 16 bytes of f16
constexpr int kGroupLanes = CHANNELS / kLaneChannels;

struct Level {
  int height, width;  // without the ring
  int first_row;
  __device__ __forceinline__ int columns() const { return width + 2; }
};

// Two loads of one address for all lanes.
__device__ __forceinline__ Level level_of(const long long* __restrict__ shapes,
                                          const long long* __restrict__ starts, int l) {
  const longlong2 size = __ldg(reinterpret_cast<const longlong2*>(shapes) + l);
  return {static_cast<int>(size.x), static_cast<int>(size.y), static_cast<int>(__ldg(starts + l))};
}

// What a thread has a part of: eight channels of a group.
struct Place {
  bool is_there;  // the last block has threads without a group
  unsigned group;
  int image, head, channel;
};
__device__ __forceinline__ Place place_of(unsigned thread, int batch, int queries) {
  const unsigned group = thread / kGroupLanes, query = group / HEADS;
  return {query < static_cast<unsigned>(batch) * static_cast<unsigned>(queries), group,
          static_cast<int>(query / static_cast<unsigned>(queries)), static_cast<int>(group % HEADS),
          static_cast<int>(thread % kGroupLanes) * kLaneChannels};
}
__device__ __forceinline__ Place place_of(int batch, int queries) {
  return place_of(blockIdx.x * blockDim.x + threadIdx.x, batch, queries);
}

// The place's channels of an image's first pixel, its group's first sample, and where its sums go.
template <typename T>
__device__ __forceinline__ const T* pixels_of(const T* value, const Place& place, int rows) {
  return value + static_cast<long long>(place.image) * rows * kPixelStride + place.head * CHANNELS +
         place.channel;
}
__device__ __forceinline__ long long first_sample_of(unsigned group) {
  return static_cast<long long>(group) * kSamples;
}
__device__ __forceinline__ long long sum_of(const Place& place) {
  return static_cast<long long>(place.group) * CHANNELS + place.channel;
}
