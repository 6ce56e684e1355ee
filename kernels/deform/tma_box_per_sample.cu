// kernels/deform/tma_box_per_sample.cu: the four corners of a sample in one bulk tensor copy.
//
// Against interleaved_compile_time_points nobody loads a corner: for every sample a lane asks the
// copy engine for a box of two by two pixels, which arrives in shared memory while the sample
// before is added up. Look at the number of copies, each of a few hundred bytes: how many of them a
// multiprocessor can start, and not their bytes, decides.
//
// A map has rows of a level as far apart as that level's columns: (channel, pixel, 0 or 1 row
// down), so a box may begin at any pixel of any image.
//
//   LEVELS, POINTS, CHANNELS, HEADS  see levels.cuh
//   BLOCK  threads of a block
#include "deform/half_samples.cuh"
#include "deform/levels.cuh"
#include "tensor_copy.cuh"

constexpr int kBlockGroups = BLOCK / kGroupLanes;
constexpr int kStages = 2;
constexpr int kBoxElements = 4 * CHANNELS;
constexpr unsigned kBoxBytes = kBoxElements * sizeof(__half);

extern "C" __global__ void __launch_bounds__(BLOCK) tma_box_per_sample(
    const __half* __restrict__ value,      // [batch][rows][HEADS][CHANNELS]
    const long long* __restrict__ shapes,  // [LEVELS][2]
    const long long* __restrict__ starts,  // [LEVELS]
    const __half* __restrict__ loc,        // [batch][queries][HEADS][LEVELS][POINTS][2]
    const __half* __restrict__ weight,     // [batch][queries][HEADS][LEVELS][POINTS]
    __half* __restrict__ out,              // [batch][queries][HEADS][CHANNELS]
    int batch, int queries, int rows, const __grid_constant__ TensorMap map0
#if LEVELS > 1
    ,
    const __grid_constant__ TensorMap map1
#endif
#if LEVELS > 2
    ,
    const __grid_constant__ TensorMap map2
#endif
#if LEVELS > 3
    ,
    const __grid_constant__ TensorMap map3
#endif
#if LEVELS > 4
    ,
    const __grid_constant__ TensorMap map4
#endif
) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  extern __shared__ __align__(128) __half boxes[];  // [kStages][kBlockGroups][2][2][CHANNELS]
  __shared__ unsigned long long arrived[kStages];
  const Place place = place_of(batch, queries);
  const int cell = threadIdx.x / kGroupLanes;
  const bool asks = threadIdx.x % kGroupLanes == 0;
  const long long first = first_sample_of(place.group);
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < kStages; ++stage)
      barrier_init(shared_address(&arrived[stage]), kBlockGroups);
    barrier_init_fence();
  }
  __syncthreads();
  const auto box_of = [&](int i) {
    return boxes + (i % kStages * kBlockGroups + cell) * kBoxElements;
  };
  const auto sample_at = [&](int i, const Level& level) {
    return half_sample(__ldg(reinterpret_cast<const __half2*>(loc) + first + i), level.height,
                       level.width);
  };
  const auto ask = [&](int l, int i) {
    if (!asks) return;
    const unsigned barrier = shared_address(&arrived[i % kStages]);
    const Level level = level_of(shapes, starts, l);
    HalfSample s;
    s.inside = false;
    if (place.is_there) s = sample_at(i, level);
    if (!s.inside) return barrier_arrive(barrier);
    const int pixel = place.image * rows + level.first_row + s.row;
    const int channel = place.head * CHANNELS;
    const unsigned box = shared_address(box_of(i));
    barrier_arrive_expecting(barrier, kBoxBytes);
    if (l == 0) copy_box(box, map0, channel, pixel, 0, barrier);
#if LEVELS > 1
    if (l == 1) copy_box(box, map1, channel, pixel, 0, barrier);
#endif
#if LEVELS > 2
    if (l == 2) copy_box(box, map2, channel, pixel, 0, barrier);
#endif
#if LEVELS > 3
    if (l == 3) copy_box(box, map3, channel, pixel, 0, barrier);
#endif
#if LEVELS > 4
    if (l == 4) copy_box(box, map4, channel, pixel, 0, barrier);
#endif
  };
  Octet sum = zero_octet();
  ask(0, 0);
#pragma unroll 1
  for (int i = 0; i < kSamples; ++i) {
    if (i + 1 < kSamples) ask((i + 1) / POINTS, i + 1);
    const Level level = level_of(shapes, starts, i / POINTS);
    barrier_wait(shared_address(&arrived[i % kStages]), i / kStages % 2);
    if (place.is_there) {
      const HalfSample s = sample_at(i, level);
      const __half attention = __ldg(weight + first + i);
      const CornerWeights corners = corner_weights(s.from_low);
#pragma unroll
      for (int c = 0; c < 4; ++c) {
        if (!s.inside) continue;
        Octet corner;
        memcpy(&corner, __builtin_assume_aligned(box_of(i) + c * CHANNELS + place.channel, 16),
               sizeof corner);
        add_weighed(sum, __hmul(corners.of[c], attention), corner);
      }
    }
    __syncthreads();  // before the box is filled again
  }
  if (place.is_there) store_octet(out + sum_of(place), sum);
#endif
}
