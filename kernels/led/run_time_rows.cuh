// kernels/led/run_time_rows.cuh: the dot product of the published kernels for a side only
// known at run time.
#pragma once

// Patterns of a side known to the compiler are not asked for here: operand.cuh's B is of those.
#ifndef B
#define B 0
#endif
#include "led/rows_of_a_lane.cuh"

// First pixel of the pattern of LED n, channel c, with `block` rows of `block` values.
__device__ __forceinline__ const Value* pattern_at(const Value* values, const Shape& s, int n,
                                                   int c, int block) {
  return values + (static_cast<long long>(c) * s.leds + n) * (block * block);
}

// Rows lane·block/32 … of `pattern`, block values apart, times the same rows of `image`.
__device__ __forceinline__ LaneSum run_time_rows(const Value* pattern, const Value* image,
                                                 int width, int block, int lane) {
  const int rows = block / 32;
  LaneSum sum = 0;
  for (int row = lane * rows; row < (lane + 1) * rows; ++row) {
    const Value* const a = pattern + row * block;
    const Value* const b = image + row * width;
    for (int column = 0; column < block; column += 4)
      sum = four_products(a + column, b + column, sum);
  }
  return sum;
}
