// kernels/deform_backward/warp_per_query.cu: one warp per query and head, one lane per channel.
//
// Against block_per_query a warp adds up its parts by shuffles, so that no thread waits at a
// barrier and no part goes through shared memory. A block has several warps, each with a query of
// its own. Look at the instructions: 15 shuffles per sample.
//
//   LEVELS, POINTS, CHANNELS, HEADS, TYPE  see samples.cuh
#include "deform_backward/samples.cuh"

constexpr unsigned kAll = 0xffffffffu;
constexpr int kTurns = (CHANNELS + 31) / 32;  // channels of a lane: 32 apart

__device__ __forceinline__ float warp_sum(float part) {
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) part += __shfl_xor_sync(kAll, part, offset);
  return part;
}

extern "C" __global__ void warp_per_query(
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
  const int lane = static_cast<int>(threadIdx.x % 32);
  const Group group = group_at(blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, batch, queries);
  if (!group.is_there) return;  // a whole warp
  float g[kTurns];
#pragma unroll
  for (int t = 0; t < kTurns; ++t) {
    const int channel = lane + 32 * t;
    g[t] = channel < CHANNELS
               ? widened(grad_out[static_cast<long long>(group.index) * CHANNELS + channel])
               : 0.0f;
  }
  const long long first_pixel = first_pixel_of(group, rows) + lane;
  long long sample = first_sample_of(group);
  for (int l = 0; l < LEVELS; ++l) {
    const Level level = level_of(shapes, starts, l);
    for (int p = 0; p < POINTS; ++p, ++sample) {
      const Sample s = sample_at(__ldg(loc + sample), level);
      const float attention = widened(__ldg(weight + sample));
      Sums own;
      if (s.inside) {
        const float left = 1.0f - s.dx, top = 1.0f - s.dy;
        const float upper_left = top * left * attention, upper_right = top * s.dx * attention;
        const float lower_left = s.dy * left * attention, lower_right = s.dy * s.dx * attention;
        Products products = {};
#pragma unroll
        for (int t = 0; t < kTurns; ++t) {
          if (lane + 32 * t >= CHANNELS) break;
          const long long upper =
              first_pixel + 32 * t + static_cast<long long>(s.row) * kPixelStride;
          const long long lower = upper + level.columns() * kPixelStride;
          products.upper_left += g[t] * widened(__ldg(value + upper));
          products.upper_right += g[t] * widened(__ldg(value + upper + kPixelStride));
          products.lower_left += g[t] * widened(__ldg(value + lower));
          products.lower_right += g[t] * widened(__ldg(value + lower + kPixelStride));
          atomicAdd(grad_value + upper, upper_left * g[t]);
          atomicAdd(grad_value + upper + kPixelStride, upper_right * g[t]);
          atomicAdd(grad_value + lower, lower_left * g[t]);
          atomicAdd(grad_value + lower + kPixelStride, lower_right * g[t]);
        }
        own = sums_of(products, s.dx, s.dy);
      }
      const Sums all = {warp_sum(own.x), warp_sum(own.y), warp_sum(own.weight)};
      if (lane == 0) {
        grad_loc[sample] =
            s.inside ? location_gradient(all, attention, level) : make_float2(0.0f, 0.0f);
        grad_weight[sample] = all.weight;
      }
    }
  }
}
