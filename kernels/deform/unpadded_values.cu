// kernels/deform/unpadded_values.cu: levels without a ring, each corner tested against the border.
//
// Against interleaved_compile_time_points the values of the ring are neither stored nor read; in
// exchange every corner has a test of its own. Look at the branches and at the bytes of values.
//
//   LEVELS, POINTS, CHANNELS, HEADS  see levels.cuh; value has no rings here: [batch][rows][…]
#include "deform/half_samples.cuh"
#include "deform/levels.cuh"
#include "deform/points.cuh"

// Copies the values without the rings; a thread has 16 bytes of the copy.
extern "C" __global__ void drop_rings(const __half* __restrict__ value,      // [batch][rows][…]
                                      const long long* __restrict__ shapes,  // [LEVELS][2]
                                      const long long* __restrict__ starts,  // [LEVELS]
                                      __half* __restrict__ bare,  // [batch][bare_rows][…]
                                      int batch, int rows, int bare_rows) {
  constexpr int kPieces = kPixelStride / kLaneChannels;
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= static_cast<long long>(batch) * bare_rows * kPieces) return;
  const long long image = i / kPieces / bare_rows;
  int row = static_cast<int>(i / kPieces % bare_rows);
  Level level = level_of(shapes, starts, 0);
  for (int l = 0; l + 1 < LEVELS && row >= level.height * level.width; ++l) {
    row -= level.height * level.width;
    level = level_of(shapes, starts, l + 1);
  }
  const int from =
      level.first_row + (row / level.width + 1) * level.columns() + row % level.width + 1;
  store_octet(bare + i * kLaneChannels,
              load_octet(value + ((image * rows + from) * kPieces + i % kPieces) * kLaneChannels));
}

extern "C" __global__ void unpadded_values(
    const __half* __restrict__ value,      // [batch][rows][HEADS][CHANNELS]
    const long long* __restrict__ shapes,  // [LEVELS][2]
    const long long* __restrict__ starts,  // [LEVELS]
    const __half* __restrict__ loc,        // [batch][queries][HEADS][LEVELS][POINTS][2]
    const __half* __restrict__ weight,     // [batch][queries][HEADS][LEVELS][POINTS]
    __half* __restrict__ out,              // [batch][queries][HEADS][CHANNELS]
    int batch, int queries, int rows) {
  const Place place = place_of(batch, queries);
  if (!place.is_there) return;
  const __half* pixels = pixels_of(value, place, rows);
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
      // The ring begins at −1.
      const int top = s.row / level.columns() - 1, left = s.row % level.columns() - 1;
#pragma unroll
      for (int c = 0; c < 4; ++c) {
        const int y = top + (c >> 1), x = left + (c & 1);
        if (y < 0 || y >= level.height || x < 0 || x >= level.width) continue;
        add_weighed(sum, __hmul(corners.of[c], of_level.weight[p]),
                    load_octet(pixels + (y * level.width + x) * kPixelStride));
      }
    }
    pixels += level.height * level.width * kPixelStride;
  }
  store_octet(out + sum_of(place), sum);
}
