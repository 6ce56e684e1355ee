// kernels/deform_backward/vector_atomics.cu: four channels per lane, one atomic of 16 bytes per
// corner.
//
// Against warp_per_query a lane has four neighbouring channels. A corner then needs an eighth of a
// warp, and a warp has four queries of 32 channels. Look at the atomics: as many sectors as before
// from a quarter of the instructions, because sm_90 has atomics of four f32. Shuffles fall from 15
// per sample to 9 for four samples.
//
//   LEVELS, POINTS, CHANNELS, HEADS, TYPE  see samples.cuh
#include "deform_backward/quads.cuh"

__device__ __forceinline__ float group_sum(float part) {
#pragma unroll
  for (int offset = kGroupLanes / 2; offset > 0; offset /= 2)
    part += __shfl_xor_sync(kAll, part, offset);
  return part;
}

extern "C" __global__ void vector_atomics(
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
  long long sample = first_sample_of(group);
  for (int l = 0; l < LEVELS; ++l) {
    const Level level = level_of(shapes, starts, l);
    for (int p = 0; p < POINTS; ++p, ++sample) {
      Sample s = {};
      float attention = 0.0f;
      Sums own;
      if (group.is_there) {
        s = sample_at(__ldg(loc + sample), level);
        attention = widened(__ldg(weight + sample));
      }
      if (s.inside) {
        own = sums_of(products_of(value + first_pixel, s, level, g), s.dx, s.dy);
        add_to_corners(grad_value + first_pixel, s, level, attention, g);
      }
      const Sums all = {group_sum(own.x), group_sum(own.y), group_sum(own.weight)};
      if (group.is_there && lane == 0) {
        grad_loc[sample] =
            s.inside ? location_gradient(all, attention, level) : make_float2(0.0f, 0.0f);
        grad_weight[sample] = all.weight;
      }
    }
  }
}
