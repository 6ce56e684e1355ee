// kernels/deform/two_phase_unroll.cu: two phases for groups of 1, 2, 4 or 8 points.
//
// Against two_phase_unrolled any shape, levels one after the other, and fewer points alive at once:
// the form that launches. Look at the registers and the occupancy as groups grow.
//
//   LEVELS, POINTS, CHANNELS, HEADS  see levels.cuh
//   UNROLL  points of a group, a divisor of POINTS
//   BLOCK   threads of a block
#include "deform/levels.cuh"
#include "deform/two_phase.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK)
    two_phase_unroll(const __half* __restrict__ value,      // [batch][rows][HEADS][CHANNELS]
                     const long long* __restrict__ shapes,  // [LEVELS][2]
                     const long long* __restrict__ starts,  // [LEVELS]
                     const __half* __restrict__ loc,  // [batch][queries][HEADS][LEVELS][POINTS][2]
                     const __half* __restrict__ weight,  // [batch][queries][HEADS][LEVELS][POINTS]
                     __half* __restrict__ out,           // [batch][queries][HEADS][CHANNELS]
                     int batch, int queries, int rows) {
  const Place place = place_of(batch, queries);
  if (!place.is_there) return;
  const __half* const pixels = pixels_of(value, place, rows);
  Octet sum = zero_octet();
#pragma unroll 1
  for (int l = 0; l < LEVELS; ++l) {
    const Level level = level_of(shapes, starts, l);
    const __half* const first = pixels + level.first_row * kPixelStride;
    const auto of_level =
        load_points<POINTS>(loc, weight, first_sample_of(place.group) + l * POINTS);
#pragma unroll
    for (int from = 0; from < POINTS; from += UNROLL) {
      PreparedPoint points[UNROLL];
#pragma unroll
      for (int p = 0; p < UNROLL; ++p)
        points[p] = prepared_point(of_level.location[from + p], of_level.weight[from + p],
                                   level.height, level.width, kPixelStride);
      add_by_corner(sum, points, first);
    }
  }
  store_octet(out + sum_of(place), sum);
}
