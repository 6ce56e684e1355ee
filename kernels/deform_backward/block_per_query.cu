// kernels/deform_backward/block_per_query.cu: one block per query and head, one thread per channel.
//
// The structure of the published backward kernels, written anew. Each thread loads its channel of
// four corners, and adds its channel of their gradients with four atomics. The gradients of a
// location and a weight are sums over channels: threads write their parts to shared memory, and
// wait at a barrier, and thread 0 adds them up. Look at the barriers: two per sample.
//
//   LEVELS, POINTS, CHANNELS, HEADS, TYPE  see samples.cuh
//   TREE  0: thread 0 adds all parts, as published for 32 channels and fewer
//         1: half of the threads add pairs, then a quarter, …, as published for 64 and more
#include "deform_backward/samples.cuh"

// The greatest power of two below CHANNELS, where a tree begins.
__device__ constexpr int half_of_tree() {
  int half = 1;
  while (2 * half < CHANNELS) half *= 2;
  return half;
}

extern "C" __global__ void __launch_bounds__(CHANNELS)
    block_per_query(const Value* __restrict__ value,       // [batch][rows][HEADS][CHANNELS]
                    const long long* __restrict__ shapes,  // [LEVELS][2]
                    const long long* __restrict__ starts,  // [LEVELS]
                    const Location* __restrict__ loc,    // [batch][queries][HEADS][LEVELS][POINTS]
                    const Value* __restrict__ weight,    // [batch][queries][HEADS][LEVELS][POINTS]
                    const Value* __restrict__ grad_out,  // [batch][queries][HEADS][CHANNELS]
                    float* __restrict__ grad_value,      // as value
                    float2* __restrict__ grad_loc,       // as loc
                    float* __restrict__ grad_weight,     // as weight
                    int batch, int queries, int rows) {
  __shared__ Sums parts[CHANNELS];
  const int channel = static_cast<int>(threadIdx.x);
  const Group group = group_at(blockIdx.x, batch, queries);
  const float g = widened(grad_out[static_cast<long long>(group.index) * CHANNELS + channel]);
  const long long first_pixel = first_pixel_of(group, rows) + channel;
  long long sample = first_sample_of(group);
  for (int l = 0; l < LEVELS; ++l) {
    const Level level = level_of(shapes, starts, l);
    for (int p = 0; p < POINTS; ++p, ++sample) {
      const Sample s = sample_at(loc[sample], level);
      const float attention = widened(weight[sample]);
      Sums own;
      if (s.inside) {
        const long long upper = first_pixel + static_cast<long long>(s.row) * kPixelStride;
        const long long lower = upper + level.columns() * kPixelStride;
        const float left = 1.0f - s.dx, top = 1.0f - s.dy;
        own = sums_of({g * widened(value[upper]), g * widened(value[upper + kPixelStride]),
                       g * widened(value[lower]), g * widened(value[lower + kPixelStride])},
                      s.dx, s.dy);
        atomicAdd(grad_value + upper, top * left * attention * g);
        atomicAdd(grad_value + upper + kPixelStride, top * s.dx * attention * g);
        atomicAdd(grad_value + lower, s.dy * left * attention * g);
        atomicAdd(grad_value + lower + kPixelStride, s.dy * s.dx * attention * g);
      }
      parts[channel] = own;
      __syncthreads();
#if TREE
      constexpr int kHalf = half_of_tree();
      for (int half = kHalf; half > 0; half /= 2) {
        if (channel < half && channel + half < CHANNELS) {
          parts[channel].x += parts[channel + half].x;
          parts[channel].y += parts[channel + half].y;
          parts[channel].weight += parts[channel + half].weight;
        }
        __syncthreads();
      }
#endif
      if (channel == 0) {
        Sums all = parts[0];
#if !TREE
        for (int c = 1; c < CHANNELS; ++c) {
          all.x += parts[c].x;
          all.y += parts[c].y;
          all.weight += parts[c].weight;
        }
#endif
        grad_loc[sample] =
            s.inside ? location_gradient(all, attention, level) : make_float2(0.0f, 0.0f);
        grad_weight[sample] = all.weight;
      }
      __syncthreads();
    }
  }
}
