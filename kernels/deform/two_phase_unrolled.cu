// kernels/deform/two_phase_unrolled.cu: the seed: eight points prepared, then a corner of all eight
// loaded and added up.
//
// Against interleaved_compile_time_points the same loads, requests and bytes in another order, for
// one shape alone. The compiler may take as many registers as a thread can have, as it did for the
// seed: look at how many it takes, since a multiprocessor has 65536 for all threads of a block.
//
//   CAP  registers a thread may have: 255, or fewer to fit a larger block
#include "deform/half_samples.cuh"
#include "deform/points.cuh"

namespace {
// All that the second phase needs of a point: 64-bit offsets of its corners in elements from the
// level's first, bilinear times attention weight, twice, and whether it counts. One that does not
// is neither loaded nor added.
struct SeedPoint {
  bool inside;
  long long corner[4];
  __half2 share[4];
};

__device__ __forceinline__ SeedPoint seed_point(__half2 location, __half attention, int height,
                                                int width, int stride) {
  const HalfSample s = half_sample(location, height, width);
  const CornerWeights corners = corner_weights(s.from_low);
  SeedPoint point;
  point.inside = s.inside;
#pragma unroll
  for (int c = 0; c < 4; ++c) {
    point.corner[c] = 0;
    point.share[c] = __float2half2_rn(0.0f);
  }
  if (s.inside) {
#pragma unroll
    for (int c = 0; c < 4; ++c) {
      point.corner[c] = static_cast<long long>(s.row + corner_row(c, width + 2)) * stride;
      point.share[c] = __half2half2(__hmul(corners.of[c], attention));
    }
  }
  return point;
}
}  // namespace

extern "C" __global__ void __maxnreg__(CAP)
    two_phase_unrolled(const __half* __restrict__ value,      // [batch][rows][1][32]
                       const long long* __restrict__ shapes,  // [4][2]
                       const long long* __restrict__ starts,  // [4]
                       const __half* __restrict__ loc,        // [batch][queries][1][4][8][2]
                       const __half* __restrict__ weight,     // [batch][queries][1][4][8]
                       __half* __restrict__ out,              // [batch][queries][1][32]
                       int batch, int queries, int rows) {
  constexpr int kLevels = 4, kPoints = 8, kChannels = 32, kLanes = 4;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int query = i / kLanes;
  if (query >= batch * queries) return;
  const int image = static_cast<int>(static_cast<float>(query) / static_cast<float>(queries));
  const __half* const pixels = value + image * rows * kChannels + i % kLanes * 8;
  Octet sum = zero_octet();
#pragma unroll
  for (int l = 0; l < kLevels; ++l) {
    const int height = static_cast<int>(shapes[2 * l]), width = static_cast<int>(shapes[2 * l + 1]);
    const __half* const level = pixels + static_cast<int>(starts[l]) * kChannels;
    const auto of_level = load_points<kPoints>(loc, weight, (query * kLevels + l) * kPoints);
    SeedPoint points[kPoints];
#pragma unroll
    for (int p = 0; p < kPoints; ++p)
      points[p] = seed_point(of_level.location[p], of_level.weight[p], height, width, kChannels);
#pragma unroll
    for (int c = 0; c < 4; ++c) {
      Octet loaded[kPoints];
#pragma unroll
      for (int p = 0; p < kPoints; ++p)
        if (points[p].inside) loaded[p] = load_octet(level + points[p].corner[c]);
#pragma unroll
      for (int p = 0; p < kPoints; ++p)
        if (points[p].inside) add_weighed(sum, points[p].share[c], loaded[p]);
    }
  }
  store_octet(out + query * kChannels + i % kLanes * 8, sum);
}
