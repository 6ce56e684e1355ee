// kernels/deform/staged_levels.cuh: resident blocks that hold the small levels of one image in
// shared memory.
#pragma once

#include "deform/half_samples.cuh"
#include "deform/levels.cuh"
#include "deform/points.cuh"

// A block has a run of groups and goes through it image by image: it stages the last STAGED levels,
// which lie together, and samples them there; the others it gathers from memory.

constexpr int kFirstStaged = LEVELS - STAGED;

template <bool SHARED>
__device__ __forceinline__ Octet octet_at(const __half* from) {
  if constexpr (!SHARED) return load_octet(from);
  const uint4 bits = *reinterpret_cast<const uint4*>(from);
  Octet o;
  memcpy(&o, &bits, sizeof o);
  return o;
}

// The points of one level, whose first pixel is given.
template <bool SHARED>
__device__ __forceinline__ void add_level(Octet& sum, const __half* pixels, const Level& level,
                                          const Points<POINTS>& points) {
#pragma unroll
  for (int p = 0; p < POINTS; ++p) {
    const HalfSample s = half_sample(points.location[p], level.height, level.width);
    if (!s.inside) continue;
    const CornerWeights corners = corner_weights(s.from_low);
#pragma unroll
    for (int c = 0; c < 4; ++c)
      add_weighed(
          sum, __hmul(corners.of[c], points.weight[p]),
          octet_at<SHARED>(pixels + (s.row + corner_row(c, level.columns())) * kPixelStride));
  }
}

// A group's sums. `staged`: the pixels of the last levels, beginning at this row of the image.
__device__ __forceinline__ Octet sum_beside_staged(const Place& place, const __half* value,
                                                   const __half* staged, int staged_row,
                                                   const long long* shapes, const long long* starts,
                                                   const __half* loc, const __half* weight,
                                                   int rows) {
  const __half* const pixels = pixels_of(value, place, rows);
  const __half* const near = staged + place.head * CHANNELS + place.channel;
  const long long first = first_sample_of(place.group);
  Octet sum = zero_octet();
#pragma unroll 1
  for (int l = 0; l < kFirstStaged; ++l) {
    const Level level = level_of(shapes, starts, l);
    add_level<false>(sum, pixels + level.first_row * kPixelStride, level,
                     load_points<POINTS>(loc, weight, first + l * POINTS));
  }
#pragma unroll 1
  for (int l = kFirstStaged; l < LEVELS; ++l) {
    const Level level = level_of(shapes, starts, l);
    add_level<true>(sum, near + (level.first_row - staged_row) * kPixelStride, level,
                    load_points<POINTS>(loc, weight, first + l * POINTS));
  }
  return sum;
}

// Calls stage(image) for every image that the block's run of groups touches, then the sums of its
// groups there.
template <typename Stage>
__device__ __forceinline__ void sums_of_run(const __half* value, const __half* staged,
                                            int staged_row, const long long* shapes,
                                            const long long* starts, const __half* loc,
                                            const __half* weight, __half* out, int batch,
                                            int queries, int rows, Stage stage) {
  constexpr int kPassGroups = BLOCK / kGroupLanes;
  const long long groups = static_cast<long long>(batch) * queries * HEADS;
  const int image_groups = queries * HEADS;
  long long first = groups * blockIdx.x / gridDim.x;
  const long long end = groups * (blockIdx.x + 1) / gridDim.x;
  while (first < end) {
    const int image = static_cast<int>(first / image_groups);
    const long long image_end = static_cast<long long>(image + 1) * image_groups;
    const long long last = image_end < end ? image_end : end;
    stage(image);
    for (long long g = first + threadIdx.x / kGroupLanes; g < last; g += kPassGroups) {
      if (threadIdx.x >= kPassGroups * kGroupLanes) break;
      const Place place = place_of(
          static_cast<unsigned>(g) * kGroupLanes + threadIdx.x % kGroupLanes, batch, queries);
      store_octet(out + sum_of(place), sum_beside_staged(place, value, staged, staged_row, shapes,
                                                         starts, loc, weight, rows));
    }
    first = last;
    __syncthreads();
  }
}
