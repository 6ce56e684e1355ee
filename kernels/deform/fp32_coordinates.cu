// kernels/deform/fp32_coordinates.cu: coordinates, weights and sums in f32; values of any type.
//
// Against interleaved_compile_time_points nothing is rounded to half on the way: a half has steps
// of an eighth of a pixel from 128 pixels on, so every sample of a large level is moved a little
// there. Look at the error against exact coordinates, and at the instructions that it costs.
//
//   LEVELS, POINTS, CHANNELS, HEADS  see levels.cuh
//   TYPE, VALUES                     see float_samples.cuh
#include "deform/float_samples.cuh"
#include "deform/levels.cuh"

// Values stored as another type, in the same order; a thread has eight of them.
extern "C" __global__ void convert_values(const __half* __restrict__ value,  // [count]
                                          Value* __restrict__ converted,     // [count]
                                          long long count) {
  const long long i = 8 * (static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x);
  if (i < count) store_narrow(converted + i, load_wide(value + i));
}

extern "C" __global__ void fp32_coordinates(
    const Value* __restrict__ value,       // [batch][rows][HEADS][CHANNELS]
    const long long* __restrict__ shapes,  // [LEVELS][2]
    const long long* __restrict__ starts,  // [LEVELS]
    const Place2* __restrict__ loc,        // [batch][queries][HEADS][LEVELS][POINTS]
    const Weight* __restrict__ weight,     // [batch][queries][HEADS][LEVELS][POINTS]
    Weight* __restrict__ out,              // [batch][queries][HEADS][CHANNELS]
    int batch, int queries, int rows) {
  const Place place = place_of(batch, queries);
  if (!place.is_there) return;
  const Value* const pixels = pixels_of(value, place, rows);
  FloatOctet sum = {};
#pragma unroll 1
  for (int l = 0; l < LEVELS; ++l) {
    const Level level = level_of(shapes, starts, l);
    const long long first = first_sample_of(place.group) + l * POINTS;
#pragma unroll
    for (int p = 0; p < POINTS; ++p) {
      const FloatSample s = float_sample(__ldg(loc + first + p), level.height, level.width);
      if (!s.inside) continue;
      const float attention = widened(__ldg(weight + first + p));
      const Value* const upper_left = pixels + (level.first_row + s.row) * kPixelStride;
#pragma unroll
      for (int c = 0; c < 4; ++c) {
        const int down = c >> 1, across = c & 1;
        const float share = (across ? s.dx : 1.0f - s.dx) * (down ? s.dy : 1.0f - s.dy) * attention;
        const FloatOctet corner =
            load_wide(upper_left + (down * level.columns() + across) * kPixelStride);
#pragma unroll
        for (int i = 0; i < 8; ++i) sum.of[i] = fmaf(share, corner.of[i], sum.of[i]);
      }
    }
  }
  store_narrow(out + sum_of(place), sum);
}
