// kernels/deform/sample_then_reduce.cu: every sample of a level written out, then weighed and
// summed.
//
// What operators of a framework make together: a grid sample for each level, and a weighted sum.
// All samples pass through memory between them. Look at the bytes of DRAM.
//
//   LEVELS, POINTS, CHANNELS, HEADS  see levels.cuh
#include "deform/half_samples.cuh"
#include "deform/levels.cuh"

// The samples of one level; a thread has eight channels of one sample.
extern "C" __global__ void sample_level(
    const __half* __restrict__ value,      // [batch][rows][HEADS][CHANNELS]
    const long long* __restrict__ shapes,  // [LEVELS][2]
    const long long* __restrict__ starts,  // [LEVELS]
    const __half* __restrict__ loc,        // [batch][queries][HEADS][LEVELS][POINTS][2]
    __half* __restrict__ samples,          // [batch][queries][HEADS][LEVELS][POINTS][CHANNELS]
    int batch, int queries, int rows, int l) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  const long long point = i / kGroupLanes;
  const auto group = static_cast<unsigned>(point / POINTS);
  const Place place =
      place_of(group * kGroupLanes + static_cast<unsigned>(i % kGroupLanes), batch, queries);
  if (!place.is_there) return;
  const Level level = level_of(shapes, starts, l);
  const long long sample = first_sample_of(group) + l * POINTS + point % POINTS;
  const __half* const pixels = pixels_of(value, place, rows) + level.first_row * kPixelStride;
  const HalfSample s =
      half_sample(__ldg(reinterpret_cast<const __half2*>(loc) + sample), level.height, level.width);
  Octet sum = zero_octet();
  if (s.inside) {
    const CornerWeights corners = corner_weights(s.from_low);
#pragma unroll
    for (int c = 0; c < 4; ++c)
      add_weighed(sum, corners.of[c],
                  load_octet(pixels + (s.row + corner_row(c, level.columns())) * kPixelStride));
  }
  store_octet(samples + sample * CHANNELS + place.channel, sum);
}

// A thread has eight channels of a group.
extern "C" __global__ void reduce_samples(
    const __half* __restrict__ samples,  // [batch][queries][HEADS][LEVELS][POINTS][CHANNELS]
    const __half* __restrict__ weight,   // [batch][queries][HEADS][LEVELS][POINTS]
    __half* __restrict__ out,            // [batch][queries][HEADS][CHANNELS]
    int batch, int queries) {
  const Place place = place_of(batch, queries);
  if (!place.is_there) return;
  const long long first = first_sample_of(place.group);
  Octet sum = zero_octet();
#pragma unroll
  for (int i = 0; i < kSamples; ++i)
    add_weighed(sum, __ldg(weight + first + i),
                load_octet(samples + (first + i) * CHANNELS + place.channel));
  store_octet(out + sum_of(place), sum);
}
