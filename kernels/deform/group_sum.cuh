// kernels/deform/group_sum.cuh: all samples of one place, points unrolled, a corner loaded and
// added up.
#pragma once

#include "deform/half_samples.cuh"
#include "deform/levels.cuh"
#include "deform/points.cuh"

// For kernels that differ in which thread has which place, and when.
__device__ __forceinline__ Octet sum_of_group(const Place& place, const __half* value,
                                              const long long* shapes, const long long* starts,
                                              const __half* loc, const __half* weight, int rows) {
  const __half* const pixels = pixels_of(value, place, rows);
  Octet sum = zero_octet();
#pragma unroll 1
  for (int l = 0; l < LEVELS; ++l) {
    const Level level = level_of(shapes, starts, l);
    const auto of_level =
        load_points<POINTS>(loc, weight, first_sample_of(place.group) + l * POINTS);
#pragma unroll
    for (int p = 0; p < POINTS; ++p) {
      const HalfSample s = half_sample(of_level.location[p], level.height, level.width);
      if (!s.inside) continue;
      const CornerWeights corners = corner_weights(s.from_low);
#pragma unroll
      for (int c = 0; c < 4; ++c) {
        const int row = level.first_row + s.row + corner_row(c, level.columns());
        add_weighed(sum, __hmul(corners.of[c], of_level.weight[p]),
                    load_octet(pixels + row * kPixelStride));
      }
    }
  }
  return sum;
}
