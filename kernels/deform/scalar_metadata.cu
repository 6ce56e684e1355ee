// kernels/deform/scalar_metadata.cu: locations and weights of a level in loads of 4 and 2 bytes.
//
// Against interleaved_compile_time_points the same sums, with a load for every location and every
// weight instead of 16 bytes at a time: what wide loads of metadata gain. Look at the requests of
// loc and weight, and at the sectors, which are the same.
//
//   LEVELS, POINTS, CHANNELS, HEADS  see levels.cuh
#include "deform/half_samples.cuh"
#include "deform/levels.cuh"

extern "C" __global__ void scalar_metadata(
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
    const long long first = first_sample_of(place.group) + l * POINTS;
    __half2 locations[POINTS];
    __half attention[POINTS];
#pragma unroll
    for (int p = 0; p < POINTS; ++p) {
      locations[p] = __ldg(reinterpret_cast<const __half2*>(loc) + first + p);
      attention[p] = __ldg(weight + first + p);
    }
#pragma unroll
    for (int p = 0; p < POINTS; ++p) {
      const HalfSample s = half_sample(locations[p], level.height, level.width);
      if (!s.inside) continue;
      const CornerWeights corners = corner_weights(s.from_low);
#pragma unroll
      for (int c = 0; c < 4; ++c) {
        const int row = level.first_row + s.row + corner_row(c, level.columns());
        add_weighed(sum, __hmul(corners.of[c], attention[p]),
                    load_octet(pixels + row * kPixelStride));
      }
    }
  }
  store_octet(out + sum_of(place), sum);
}
