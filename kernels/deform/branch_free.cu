// kernels/deform/branch_free.cu: samples that do not count are read elsewhere and replaced by zero.
//
// Against interleaved_compile_time_points no branch at the border: the address of such a sample is
// that of the level's first pixel, and its weight and values are selected to be zero. Selected and
// not multiplied by zero, because infinity times zero is no number. Look at the branches, and at
// the selects that take their place.
//
//   LEVELS, POINTS, CHANNELS, HEADS  see levels.cuh
#include "deform/half_samples.cuh"
#include "deform/levels.cuh"
#include "deform/points.cuh"

__device__ __forceinline__ Octet octet_where(bool chosen, const Octet& octet) {
  uint4 bits = bits_of(octet);
  bits.x = chosen ? bits.x : 0;
  bits.y = chosen ? bits.y : 0;
  bits.z = chosen ? bits.z : 0;
  bits.w = chosen ? bits.w : 0;
  return octet_of(bits);
}

extern "C" __global__ void branch_free(
    const __half* __restrict__ value,      // [batch][rows][HEADS][CHANNELS]
    const long long* __restrict__ shapes,  // [LEVELS][2]
    const long long* __restrict__ starts,  // [LEVELS]
    const __half* __restrict__ loc,        // [batch][queries][HEADS][LEVELS][POINTS][2]
    const __half* __restrict__ weight,     // [batch][queries][HEADS][LEVELS][POINTS]
    __half* __restrict__ out,              // [batch][queries][HEADS][CHANNELS]
    int batch, int queries, int rows) {
  const Place place = place_of(batch, queries);
  if (!place.is_there) return;
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
      const CornerWeights corners = corner_weights(s.from_low);
      const int upper_left = level.first_row + (s.inside ? s.row : 0);
#pragma unroll
      for (int c = 0; c < 4; ++c) {
        const int row = upper_left + corner_row(c, level.columns());
        const __half share = __hmul(corners.of[c], of_level.weight[p]);
        add_weighed(sum, s.inside ? share : __float2half_rn(0.0f),
                    octet_where(s.inside, load_octet(pixels + row * kPixelStride)));
      }
    }
  }
  store_octet(out + sum_of(place), sum);
}
