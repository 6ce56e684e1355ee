// kernels/deform/pair_row_gather.cu: eight lanes read two corners of a row, which lie side by side.
//
// Against lane_per_point_shuffle: the corners (x, y) and (x + 1, y) are 128 bytes in a row, so that
// eight lanes read both with one load each: four lanes have the left corner, four the right one,
// and each adds up its side of all points; one exchange at the end joins the sides. A request asks
// for the same 512 bytes, but eight neighbouring lanes now touch each bank once, wherever the row
// begins; two corners of 64 bytes from anywhere share banks half of the time. Each of the eight
// lanes makes one point's address and weights, and shuffles hand them round.
// Look at L1's wavefronts per request: 6 for corners one by one, a little over 4 here.
//
//   LEVELS, POINTS  see levels.cuh; CHANNELS is 32 and HEADS is 1, so that corners are neighbours
#include "deform/half_samples.cuh"
#include "deform/levels.cuh"
#include "deform/pair_rows.cuh"

static_assert(CHANNELS == 32 && HEADS == 1, "two corners of a row are 128 bytes side by side");

extern "C" __global__ void pair_row_gather(
    const __half* __restrict__ value,      // [batch][rows][1][32]
    const long long* __restrict__ shapes,  // [LEVELS][2]
    const long long* __restrict__ starts,  // [LEVELS]
    const __half* __restrict__ loc,        // [batch][queries][1][LEVELS][POINTS][2]
    const __half* __restrict__ weight,     // [batch][queries][1][LEVELS][POINTS]
    __half* __restrict__ out,              // [batch][queries][1][32]
    int batch, int queries, int rows) {
  const int part = threadIdx.x % kPairLanes;
  const bool right = part >= kCornerLanes;
  const unsigned all = static_cast<unsigned>(batch) * static_cast<unsigned>(queries);
  const unsigned query = (blockIdx.x * blockDim.x + threadIdx.x) / kPairLanes;
  const unsigned mine = min(query, all - 1);  // lanes without a query hand round what nobody stores
  const __half* const pixels =
      value + static_cast<long long>(mine / static_cast<unsigned>(queries)) * rows * CHANNELS +
      part * kLaneChannels;
  Octet sum = zero_octet();
  for (int l = 0; l < LEVELS; ++l) {
    const Level level = level_of(shapes, starts, l);
    const long long of_level = (static_cast<long long>(mine) * LEVELS + l) * POINTS;
#pragma unroll
    for (int first = 0; first < POINTS; first += kPairLanes) {
      HalfSample s = {};
      __half2 left_weights = {}, right_weights = {};  // of the upper and the lower corner
      if (first + part < POINTS) {
        const long long point = of_level + first + part;
        s = half_sample(reinterpret_cast<const __half2*>(loc)[point], level.height, level.width);
        const CornerWeights corners = corner_weights(s.from_low);
        const __half2 attention = __half2half2(s.inside ? weight[point] : __half());
        left_weights = __hmul2(__halves2half2(corners.of[0], corners.of[2]), attention);
        right_weights = __hmul2(__halves2half2(corners.of[1], corners.of[3]), attention);
      }
      const int row = s.inside ? level.first_row + s.row : -1;  // of a sample that does not count
      // The four lanes of a side keep its weights: of points 0 to 3 and of points 4 to 7.
      const __half2 other =
          __shfl_xor_sync(~0u, right ? left_weights : right_weights, kCornerLanes);
      const __half2 early = right ? other : left_weights, late = right ? right_weights : other;
#pragma unroll
      for (int p = 0; p < kPairLanes && first + p < POINTS; ++p) {
        const int there = __shfl_sync(~0u, row, p, kPairLanes);
        const __half2 w = __shfl_sync(~0u, p < kCornerLanes ? early : late,
                                      (part & kCornerLanes) + p % kCornerLanes, kPairLanes);
        if (there < 0) continue;
        const __half* const upper = pixels + there * CHANNELS;
        add_weighed(sum, __low2half2(w), load_octet(upper));
        add_weighed(sum, __high2half2(w), load_octet(upper + level.columns() * CHANNELS));
      }
    }
  }
  sum = both_sides(sum);
  if (!right && query < all)
    store_octet(out + query * static_cast<long long>(CHANNELS) + part * 8, sum);
}
