// kernels/deform/fused_softmax.cu: attention weights made in the kernel from their logits.
//
// Against interleaved_compile_time_points a softmax over the samples of a group comes first, in
// f32; each lane of the group makes all of it. Look at what that costs beside a kernel upstream,
// with its own read and write of the weights, that is not needed.
//
//   LEVELS, POINTS, CHANNELS, HEADS  see levels.cuh
#include "deform/half_samples.cuh"
#include "deform/levels.cuh"
#include "deform/points.cuh"

extern "C" __global__ void fused_softmax(
    const __half* __restrict__ value,      // [batch][rows][HEADS][CHANNELS]
    const long long* __restrict__ shapes,  // [LEVELS][2]
    const long long* __restrict__ starts,  // [LEVELS]
    const __half* __restrict__ loc,        // [batch][queries][HEADS][LEVELS][POINTS][2]
    const __half* __restrict__ logits,     // [batch][queries][HEADS][LEVELS][POINTS]
    __half* __restrict__ out,              // [batch][queries][HEADS][CHANNELS]
    int batch, int queries, int rows) {
  const Place place = place_of(batch, queries);
  if (!place.is_there) return;
  const __half* const pixels = pixels_of(value, place, rows);
  const long long first = first_sample_of(place.group);
  float largest = __half2float(__ldg(logits + first)), total = 0.0f;
#pragma unroll 1
  for (int l = 0; l < LEVELS; ++l) {
    __half of_level[POINTS];
    load_bytes<POINTS * 2>(of_level, logits + first + l * POINTS);
    float above = largest;
#pragma unroll
    for (int p = 0; p < POINTS; ++p) above = fmaxf(above, __half2float(of_level[p]));
    total *= __expf(largest - above);  // what was added up so far, against the new largest
    largest = above;
#pragma unroll
    for (int p = 0; p < POINTS; ++p) total += __expf(__half2float(of_level[p]) - largest);
  }
  Octet sum = zero_octet();
#pragma unroll 1
  for (int l = 0; l < LEVELS; ++l) {
    const Level level = level_of(shapes, starts, l);
    const auto of_level = load_points<POINTS>(loc, logits, first + l * POINTS);
#pragma unroll
    for (int p = 0; p < POINTS; ++p) {
      const HalfSample s = half_sample(of_level.location[p], level.height, level.width);
      if (!s.inside) continue;
      const float share = __expf(__half2float(of_level.weight[p]) - largest) / total;
      const __half attention = __float2half_rn(share);
      const CornerWeights corners = corner_weights(s.from_low);
#pragma unroll
      for (int c = 0; c < 4; ++c) {
        const int row = level.first_row + s.row + corner_row(c, level.columns());
        add_weighed(sum, __hmul(corners.of[c], attention), load_octet(pixels + row * kPixelStride));
      }
    }
  }
  store_octet(out + sum_of(place), sum);
}
