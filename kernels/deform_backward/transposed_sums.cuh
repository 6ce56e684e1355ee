// kernels/deform_backward/transposed_sums.cuh: sums of several points at once, each left in a lane
// of its own.
#pragma once

#include "deform_backward/quads.cuh"

// Points whose sums are added up together: at most the lanes of a group.
constexpr int kPart = kGroupLanes < 8 ? kGroupLanes : 8;

// parts[i] of all lanes of a group add up in lane i (and i + kPart, …). In the first step a lane
// sends half of its parts and keeps the others, in the next a quarter, …: kPart − 1 shuffles in
// place of kPart · log2(kPart).
__device__ __forceinline__ float transposed_sum(float (&parts)[kPart], int lane) {
#pragma unroll
  for (int offset = kPart / 2; offset > 0; offset /= 2) {
    const bool upper = (lane & offset) != 0;
#pragma unroll
    for (int i = 0; i < offset; ++i) {
      const float sent = upper ? parts[i] : parts[i + offset];
      const float kept = upper ? parts[i + offset] : parts[i];
      parts[i] = kept + __shfl_xor_sync(kAll, sent, offset);
    }
  }
  float sum = parts[0];
#pragma unroll
  for (int offset = kPart; offset < kGroupLanes; offset *= 2)
    sum += __shfl_xor_sync(kAll, sum, offset);
  return sum;
}

// Lane i of a group writes the gradients of its point begin + i.
__device__ __forceinline__ void store_sums(const Sums& sums, const Group& group, long long first,
                                           int begin, int lane, const Location* __restrict__ loc,
                                           const Value* __restrict__ weight, const Level& level,
                                           float2* __restrict__ grad_loc,
                                           float* __restrict__ grad_weight) {
  if (!group.is_there || lane >= kPart || begin + lane >= POINTS) return;
  const long long sample = first + begin + lane;
  const bool inside = sample_at(__ldg(loc + sample), level).inside;
  const float attention = widened(__ldg(weight + sample));
  grad_loc[sample] = inside ? location_gradient(sums, attention, level) : make_float2(0.0f, 0.0f);
  grad_weight[sample] = sums.weight;
}

// All of a query and head: its gradients of locations and weights. kAdds: and of values.
template <bool kAdds>
__device__ __forceinline__ void gradients_of_points(
    const Value* __restrict__ value, const long long* __restrict__ shapes,
    const long long* __restrict__ starts, const Location* __restrict__ loc,
    const Value* __restrict__ weight, const Value* __restrict__ grad_out,
    float* __restrict__ grad_value, float2* __restrict__ grad_loc, float* __restrict__ grad_weight,
    int batch, int queries, int rows) {
  const Group group = group_of_thread(batch, queries);
  const int lane = lane_of_group();
  const float4 g = gradient_of(grad_out, group);
  const long long first_pixel = first_pixel_of(group, rows) + 4 * lane;
#pragma unroll 1
  for (int l = 0; l < LEVELS; ++l) {
    const Level level = level_of(shapes, starts, l);
    const long long first = first_sample_of(group) + l * POINTS;
#pragma unroll 1
    for (int begin = 0; begin < POINTS; begin += kPart) {
      float x[kPart], y[kPart], of_weight[kPart];
#pragma unroll
      for (int i = 0; i < kPart; ++i) {
        Sums own;
        if (group.is_there && begin + i < POINTS) {
          const Sample s = sample_at(__ldg(loc + first + begin + i), level);
          if (s.inside) {
            own = sums_of(products_of(value + first_pixel, s, level, g), s.dx, s.dy);
            if (kAdds) {
              const float attention = widened(__ldg(weight + first + begin + i));
              add_to_corners(grad_value + first_pixel, s, level, attention, g);
            }
          }
        }
        x[i] = own.x, y[i] = own.y, of_weight[i] = own.weight;
      }
      const Sums all = {transposed_sum(x, lane), transposed_sum(y, lane),
                        transposed_sum(of_weight, lane)};
      store_sums(all, group, first, begin, lane, loc, weight, level, grad_loc, grad_weight);
    }
  }
}
