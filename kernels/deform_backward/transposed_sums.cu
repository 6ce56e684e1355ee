// kernels/deform_backward/transposed_sums.cu: the sums of eight points are added up together.
//
// Against vector_atomics a lane keeps its parts of eight points, and eight lanes add them up by
// exchanging halves: 7 shuffles for eight sums in place of 24. Each lane ends with the sums of one
// point, so that a group writes its gradients of eight locations with one request. Look at the
// shuffles, at the sectors per store, and at the registers.
//
//   LEVELS, POINTS, CHANNELS, HEADS, TYPE  see samples.cuh
#include "deform_backward/transposed_sums.cuh"

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

extern "C" __global__ void transposed_sums(
    const Value* __restrict__ value,       // [batch][rows][HEADS][CHANNELS]
    const long long* __restrict__ shapes,  // [LEVELS][2]
    const long long* __restrict__ starts,  // [LEVELS]
    const Location* __restrict__ loc,      // [batch][queries][HEADS][LEVELS][POINTS]
    const Value* __restrict__ weight,      // [batch][queries][HEADS][LEVELS][POINTS]
    const Value* __restrict__ grad_out,    // [batch][queries][HEADS][CHANNELS]
    float* __restrict__ grad_value,        // as value
    float2* __restrict__ grad_loc,         // as loc
    float* __restrict__ grad_weight,       // as weight
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
            const float attention = widened(__ldg(weight + first + begin + i));
            add_to_corners(grad_value + first_pixel, s, level, attention, g);
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
