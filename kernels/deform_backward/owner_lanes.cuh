// kernels/deform_backward/owner_lanes.cuh: each point has a lane that owns it.
#pragma once

#include "deform_backward/transposed_sums.cuh"

// What the owner of a point tells the other lanes: where its corners are, and what is added there.
struct Told {
  int offset = -1;  // of the upper left corner; −1: the sample does not count
  float shares[4] = {};
};
__device__ __forceinline__ Told told_by(const Told& own, int lane, bool with_shares) {
  Told told;
  told.offset = __shfl_sync(kAll, own.offset, lane, kGroupLanes);
#pragma unroll
  for (int c = 0; c < 4; ++c)
    if (with_shares) told.shares[c] = __shfl_sync(kAll, own.shares[c], lane, kGroupLanes);
  return told;
}

__device__ __forceinline__ Told told_of(const Sample& s, float attention) {
  Told told;
  if (!s.inside) return told;
  const float left = 1.0f - s.dx, top = 1.0f - s.dy;
  told.offset = s.row * kPixelStride;
  told.shares[0] = top * left * attention;
  told.shares[1] = top * s.dx * attention;
  told.shares[2] = s.dy * left * attention;
  told.shares[3] = s.dy * s.dx * attention;
  return told;
}

// All of a query and head: its gradients of locations and weights. kAdds: and of values.
template <bool kAdds>
__device__ __forceinline__ void gradients_by_owners(
    const Value* __restrict__ value, const long long* __restrict__ shapes,
    const long long* __restrict__ starts, const Location* __restrict__ loc,
    const Value* __restrict__ weight, const Value* __restrict__ grad_out,
    float* __restrict__ grad_value, float2* __restrict__ grad_loc, float* __restrict__ grad_weight,
    int batch, int queries, int rows) {
  const Group group = group_of_thread(batch, queries);
  const int lane = lane_of_group(), own = lane % kPart;
  const float4 g = gradient_of(grad_out, group);
  const long long first_pixel = first_pixel_of(group, rows) + 4 * lane;
#pragma unroll 1
  for (int l = 0; l < LEVELS; ++l) {
    const Level level = level_of(shapes, starts, l);
    const int down = level.columns() * kPixelStride;
#pragma unroll 1
    for (int begin = 0; begin < POINTS; begin += kPart) {
      const bool has = group.is_there && begin + own < POINTS;
      const long long sample = first_sample_of(group) + l * POINTS + begin + own;
      Sample s = {};
      float attention = 0.0f;
      if (has) {
        s = sample_at(__ldg(loc + sample), level);
        attention = widened(__ldg(weight + sample));
      }
      const Told tells = told_of(s, attention);
      float parts[4][kPart];
#pragma unroll
      for (int i = 0; i < kPart; ++i) {
        const Told told = told_by(tells, i, kAdds);
        const int corners[4] = {0, kPixelStride, down, down + kPixelStride};
#pragma unroll
        for (int c = 0; c < 4; ++c) {
          parts[c][i] = 0.0f;
          if (told.offset < 0) continue;
          const long long at = first_pixel + told.offset + corners[c];
          parts[c][i] = dot(g, load_quad(value + at));
          if (kAdds)
            atomicAdd(reinterpret_cast<float4*>(grad_value + at), scaled(told.shares[c], g));
        }
      }
      const Products products = {transposed_sum(parts[0], lane), transposed_sum(parts[1], lane),
                                 transposed_sum(parts[2], lane), transposed_sum(parts[3], lane)};
      if (!has || lane >= kPart) continue;
      const Sums sums = s.inside ? sums_of(products, s.dx, s.dy) : Sums();
      grad_loc[sample] =
          s.inside ? location_gradient(sums, attention, level) : make_float2(0.0f, 0.0f);
      grad_weight[sample] = sums.weight;
    }
  }
}
