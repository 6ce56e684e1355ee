// kernels/deform/lane_per_point_shuffle.cu: the lanes of a query share out its points, and tell
// each other what they made of them.
//
// Against interleaved_compile_time_points a point's address and four weights are made by one lane
// instead of by each lane of the query, and come to the others by three shuffles. With twice as
// many lanes a query as its channels need, either half takes every other point, and both are added
// at the end. Look at the instructions: metadata is divided by the lanes, the gather is what it
// was.
//
//   LEVELS, POINTS, CHANNELS, HEADS  see levels.cuh
//   QUERY_LANES  lanes of a query and head: a divisor of 32, a multiple of CHANNELS / 8
#include "deform/half_samples.cuh"
#include "deform/levels.cuh"
#include "deform/points.cuh"

constexpr unsigned kAllLanes = 0xffffffffu;
constexpr int kLanePoints = (POINTS + QUERY_LANES - 1) / QUERY_LANES;  // of a level
constexpr int kTurns = QUERY_LANES / kGroupLanes;  // points that are added up at once

// A point as it travels: the row of its upper left corner, −1 where it does not count, and its four
// weights.
struct TravellingPoint {
  int row;
  unsigned upper, lower;
};

__device__ __forceinline__ unsigned bits_of(__half low, __half high) {
  const __half2 pair = __halves2half2(low, high);
  unsigned bits;
  memcpy(&bits, &pair, sizeof bits);
  return bits;
}

__device__ __forceinline__ TravellingPoint travelling_point(__half2 location, __half attention,
                                                            const Level& level) {
  const HalfSample s = half_sample(location, level.height, level.width);
  const CornerWeights w = corner_weights(s.from_low);
  return {s.inside ? level.first_row + s.row : -1,
          bits_of(__hmul(w.of[0], attention), __hmul(w.of[1], attention)),
          bits_of(__hmul(w.of[2], attention), __hmul(w.of[3], attention))};
}

__device__ __forceinline__ void add_pair(Octet& sum, unsigned shares, const __half* left) {
  __half2 both;
  memcpy(&both, &shares, sizeof both);
  add_weighed(sum, __low2half2(both), load_octet(left));
  add_weighed(sum, __high2half2(both), load_octet(left + kPixelStride));
}

extern "C" __global__ void lane_per_point_shuffle(
    const __half* __restrict__ value,      // [batch][rows][HEADS][CHANNELS]
    const long long* __restrict__ shapes,  // [LEVELS][2]
    const long long* __restrict__ starts,  // [LEVELS]
    const __half* __restrict__ loc,        // [batch][queries][HEADS][LEVELS][POINTS][2]
    const __half* __restrict__ weight,     // [batch][queries][HEADS][LEVELS][POINTS]
    __half* __restrict__ out,              // [batch][queries][HEADS][CHANNELS]
    int batch, int queries, int rows) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const int lane = thread % QUERY_LANES;
  const unsigned groups = static_cast<unsigned>(batch) * static_cast<unsigned>(queries) * HEADS;
  if ((thread & ~31u) / QUERY_LANES >= groups) return;
  // Lanes beyond the last group take part in the shuffles of their warp.
  const bool is_there = thread / QUERY_LANES < groups;
  const unsigned group = is_there ? thread / QUERY_LANES : groups - 1;
  const Place place = place_of(group * kGroupLanes + lane % kGroupLanes, batch, queries);
  const __half* const pixels = pixels_of(value, place, rows);
  Octet sum = zero_octet();
#pragma unroll 1
  for (int l = 0; l < LEVELS; ++l) {
    const Level level = level_of(shapes, starts, l);
    const long long first = first_sample_of(group) + l * POINTS;
    TravellingPoint own[kLanePoints];
#pragma unroll
    for (int j = 0; j < kLanePoints; ++j) {
      const int p = j * QUERY_LANES + lane;
      own[j] = {-1, 0, 0};
      if (POINTS % QUERY_LANES == 0 || p < POINTS)
        own[j] = travelling_point(__ldg(reinterpret_cast<const __half2*>(loc) + first + p),
                                  __ldg(weight + first + p), level);
    }
#pragma unroll
    for (int p = 0; p < POINTS; p += kTurns) {
      const TravellingPoint& given = own[p / QUERY_LANES];
      const int from = p % QUERY_LANES + lane / kGroupLanes;
      const int row = __shfl_sync(kAllLanes, given.row, from, QUERY_LANES);
      const unsigned upper = __shfl_sync(kAllLanes, given.upper, from, QUERY_LANES);
      const unsigned lower = __shfl_sync(kAllLanes, given.lower, from, QUERY_LANES);
      if (row < 0) continue;
      const __half* const corner = pixels + row * kPixelStride;
      add_pair(sum, upper, corner);
      add_pair(sum, lower, corner + level.columns() * kPixelStride);
    }
  }
#pragma unroll
  for (int apart = kGroupLanes; apart < QUERY_LANES; apart *= 2) {
#pragma unroll
    for (int i = 0; i < 4; ++i)
      sum.pair[i] = __hadd2(sum.pair[i], __shfl_xor_sync(kAllLanes, sum.pair[i], apart));
  }
  if (is_there && lane < kGroupLanes) store_octet(out + sum_of(place), sum);
}
