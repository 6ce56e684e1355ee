// kernels/deform/two_phase.cuh: samples of several points in two phases: all addresses and weights
// first, then corner by corner all loads before all sums.
#pragma once

#include "deform/half_samples.cuh"
#include "deform/points.cuh"

// What a point needs in the second phase. A sample that does not count has a share of zero and is
// not loaded.
struct PreparedPoint {
  bool inside;
  const __half* corner[4];
  __half2 share[4];  // bilinear times attention weight, twice
};

__device__ __forceinline__ PreparedPoint prepared_point(__half2 location, __half attention,
                                                        int height, int width, const __half* pixels,
                                                        int stride) {
  const HalfSample s = half_sample(location, height, width);
  const CornerWeights corners = corner_weights(s.from_low);
  PreparedPoint point;
  point.inside = s.inside;
#pragma unroll
  for (int c = 0; c < 4; ++c) {
    point.corner[c] = pixels + (s.row + corner_row(c, width + 2)) * stride;
    const __half share = __hmul(corners.of[c], attention);
    point.share[c] = __half2half2(s.inside ? share : __float2half_rn(0.0f));
  }
  return point;
}

// COUNT points of one level: a corner of all of them is loaded, then added up.
template <int COUNT>
__device__ __forceinline__ void add_by_corner(Octet& sum, const PreparedPoint (&points)[COUNT]) {
#pragma unroll
  for (int c = 0; c < 4; ++c) {
    Octet loaded[COUNT];
#pragma unroll
    for (int p = 0; p < COUNT; ++p)
      loaded[p] = points[p].inside ? load_octet(points[p].corner[c]) : zero_octet();
#pragma unroll
    for (int p = 0; p < COUNT; ++p) add_weighed(sum, points[p].share[c], loaded[p]);
  }
}
