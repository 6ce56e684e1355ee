// kernels/deform/two_phase_wide_offsets.cu: two phases with 64-bit offsets and weights that are
// already multiplied.
//
// Against two_phase_unrolled: the offset of a corner has 64 bits instead of 32, and phase 1
// multiplies the bilinear weights by the attention weight, so that phase 2 has one multiply-add per
// pair of channels and nothing else. A point takes 13 registers instead of 10. Look at the
// registers per thread, and at the largest block that starts.
//
//   CAP  registers that a thread may have
#include "deform/half_samples.cuh"
#include "deform/points.cuh"

namespace {
// What phase 2 needs of a point. A point that is not inside is neither loaded nor added.
struct WidePoint {
  bool inside;
  long long corner[4];  // elements from the level's first
  __half2 share[4];     // bilinear weight times attention weight, in both halves
};

__device__ __forceinline__ WidePoint wide_point(__half2 location, __half attention, int height,
                                                int width, int stride) {
  const HalfSample s = half_sample(location, height, width);
  const CornerWeights corners = corner_weights(s.from_low);
  WidePoint point;
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
    two_phase_wide_offsets(const __half* __restrict__ value,      // [batch][rows][1][32]
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
    WidePoint points[kPoints];
#pragma unroll
    for (int p = 0; p < kPoints; ++p)
      points[p] = wide_point(of_level.location[p], of_level.weight[p], height, width, kChannels);
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
