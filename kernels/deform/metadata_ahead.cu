// kernels/deform/metadata_ahead.cu: addresses and weights of a level's points first, then a corner
// loaded and added up.
//
// Against interleaved_compile_time_points, only the first of the original's two steps: what a point
// needs is made ahead for all of them, but every load is still followed by its sum. Look at the
// instructions, which are the same work in another order, and at the registers.
//
//   LEVELS, POINTS, CHANNELS, HEADS  see levels.cuh
#include "deform/levels.cuh"
#include "deform/two_phase.cuh"

extern "C" __global__ void metadata_ahead(
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
    const __half* const first = pixels + level.first_row * kPixelStride;
    PreparedPoint points[POINTS];
#pragma unroll
    for (int p = 0; p < POINTS; ++p)
      points[p] = prepared_point(of_level.location[p], of_level.weight[p], level.height,
                                 level.width, kPixelStride);
#pragma unroll
    for (int p = 0; p < POINTS; ++p) {
      if (!points[p].inside) continue;
#pragma unroll
      for (int c = 0; c < 4; ++c)
        add_weighed(sum, __hmul2(points[p].distance[c], __half2half2(points[p].attention)),
                    load_octet(first + points[p].corner[c]));
    }
  }
  store_octet(out + sum_of(place), sum);
}
