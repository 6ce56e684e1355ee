// kernels/deform/two_phase.cuh: samples of several points in two phases: all addresses and weights
// first, then corner by corner all loads before all sums.
#pragma once

#include "deform/half_samples.cuh"
#include "deform/points.cuh"

// What a point needs in the second phase. A sample that does not count has weights of zero, even
// where its own is NaN, and is not loaded.
struct PreparedPoint {
  bool inside;
  int corner[4];        // elements from the level's first
  __half2 distance[4];  // the bilinear weight, twice
  __half attention;     // its weight, which joins at each corner
};

__device__ __forceinline__ PreparedPoint prepared_point(__half2 location, __half attention,
                                                        int height, int width, int stride) {
  const HalfSample s = half_sample(location, height, width);
  const CornerWeights corners = corner_weights(s.from_low);
  PreparedPoint point;
  point.inside = s.inside;
  point.attention = __float2half_rn(0.0f);
#pragma unroll
  for (int c = 0; c < 4; ++c) {
    point.corner[c] = 0;
    point.distance[c] = __float2half2_rn(0.0f);
  }
  if (s.inside) {
    point.attention = attention;
#pragma unroll
    for (int c = 0; c < 4; ++c) {
      point.corner[c] = (s.row + corner_row(c, width + 2)) * stride;
      point.distance[c] = __half2half2(corners.of[c]);
    }
  }
  return point;
}

// COUNT points of one level: a corner of all of them is loaded, then added up.
template <int COUNT>
__device__ __forceinline__ void add_by_corner(Octet& sum, const PreparedPoint (&points)[COUNT],
                                              const __half* level) {
#pragma unroll
  for (int c = 0; c < 4; ++c) {
    Octet loaded[COUNT];
#pragma unroll
    for (int p = 0; p < COUNT; ++p)
      loaded[p] = points[p].inside ? load_octet(level + points[p].corner[c]) : zero_octet();
#pragma unroll
    for (int p = 0; p < COUNT; ++p)
      add_weighed(sum, __hmul2(points[p].distance[c], __half2half2(points[p].attention)),
                  loaded[p]);
  }
}
