// kernels/led/rows_of_a_lane.cuh: the dot product of the published kernels: a lane owns whole rows.
#pragma once

// The pattern comes in loads of 16 bytes (f32) or 4 (u8).
//
//   LOAD_WIDTH  bytes of an f32 load of the image: 16, or 4
#include "led/operand.cuh"

constexpr int kRowsOfLane = B / 32;
#if UINT8
using LaneSum = int;
#else
using LaneSum = float;
#endif

__device__ __forceinline__ LaneSum four_products(const Value* a, const Value* b, LaneSum sum) {
#if UINT8
  const uchar4 p = *reinterpret_cast<const uchar4*>(a), q = *reinterpret_cast<const uchar4*>(b);
  return sum + p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
#elif LOAD_WIDTH == 16
  return multiply_add(*reinterpret_cast<const float4*>(a), *reinterpret_cast<const float4*>(b),
                      sum);
#else
  const float4 p = *reinterpret_cast<const float4*>(a);
  return fmaf(p.w, b[3], fmaf(p.z, b[2], fmaf(p.y, b[1], fmaf(p.x, b[0], sum))));
#endif
}

// Rows lane·B/32 … of `pattern`, B values apart, times the same rows of `image`, `width` apart.
__device__ __forceinline__ LaneSum rows_of_a_lane(const Value* pattern, const Value* image,
                                                  int width, int lane) {
  LaneSum sum = 0;
  for (int row = lane * kRowsOfLane; row < (lane + 1) * kRowsOfLane; ++row) {
    const Value* const a = pattern + row * B;
    const Value* const b = image + row * width;
#pragma unroll 8
    for (int column = 0; column < B; column += 4) sum = four_products(a + column, b + column, sum);
  }
  return sum;
}
