// kernels/deform/sorted_windows.cu: sorted queries, and a window of the first level that two blocks
// share.
//
// Against sorted_queries a block has queries of one head, and the two blocks of a cluster have
// neighbouring parts of the sorted queries. Around the cell that their middle query looks into lies
// a window of the first level; each block copies half of it, once, into the shared memory of both.
// Samples whose four corners lie in it are added up from there, all others come from memory. Look
// at the share of the samples that find their corners there, and at the bytes from L2.
//
//   LEVELS, POINTS, CHANNELS, HEADS  see levels.cuh
//   WINDOW  pixels of the window along either axis, even
//   BLOCK   threads of a block
#include "deform/half_samples.cuh"
#include "deform/levels.cuh"
#include "deform/points.cuh"
#include "tensor_copy.cuh"

constexpr int kBlockQueries = BLOCK / kGroupLanes;
constexpr unsigned kCluster = 2;
constexpr unsigned kPartElements = WINDOW / kCluster * WINDOW * CHANNELS;  // a block's half

// The place that half_sample looks at: the upper left corner's row and column in the level.
struct Corner {
  int row, column;
};
__device__ __forceinline__ Corner corner_of(__half2 location, const Level& level) {
  const __half2 size =
      __floats2half2_rn(static_cast<float>(level.width), static_cast<float>(level.height));
  const __half2 low = h2floor(__hfma2(location, size, __float2half2_rn(0.5f)));
  return {__half2int_rz(__high2half(low)), __half2int_rz(__low2half(low))};
}

// Where a window of this level begins so that the corner is in its middle, inside of the level.
__device__ __forceinline__ Corner window_around(const Corner& middle, const Level& level) {
  const auto begin = [](int at, int extent) {
    return max(0, min(at - WINDOW / 2, extent - WINDOW));
  };
  return {begin(middle.row, level.height + 2), begin(middle.column, level.columns())};
}

__device__ __forceinline__ unsigned cluster_rank() {
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
// Both blocks have come here, and see what either wrote before.
__device__ __forceinline__ void cluster_sync() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
// A box of a four-dimensional tensor to the same place in both blocks; each block's barrier at the
// same place counts its bytes. source: PTX ISA, cp.async.bulk.tensor, ".multicast::cluster".
__device__ __forceinline__ void copy_box_to_both(unsigned destination, const TensorMap& map,
                                                 int channel, int x, int y, int image,
                                                 unsigned barrier) {
  constexpr unsigned short kBoth = 3;
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1, {%2, %3, %4, %5}], [%6], %7;" ::"r"(destination),
      "l"(&map), "r"(channel), "r"(x), "r"(y), "r"(image), "r"(barrier), "h"(kBoth)
      : "memory");
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    sorted_windows(const __half* __restrict__ value,      // [batch][rows][HEADS][CHANNELS]
                   const long long* __restrict__ shapes,  // [LEVELS][2]
                   const long long* __restrict__ starts,  // [LEVELS]
                   const __half* __restrict__ loc,     // [batch][queries][HEADS][LEVELS][POINTS][2]
                   const __half* __restrict__ weight,  // [batch][queries][HEADS][LEVELS][POINTS]
                   __half* __restrict__ out,           // [batch][queries][HEADS][CHANNELS]
                   int batch, int queries, int rows,
                   const int* __restrict__ order,  // [batch][queries]: queries of an image
                   // of value: channels of all heads, columns, rows of the first level, images
                   const __grid_constant__ TensorMap map) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  extern __shared__ __align__(128) __half window[];  // [WINDOW][WINDOW][CHANNELS]
  __shared__ unsigned long long arrived;
  const int head = blockIdx.y, image = blockIdx.z;
  const long long first_query = static_cast<long long>(image) * queries;
  const int* const sorted = order + first_query;
  const unsigned rank = cluster_rank();
  const Level first = level_of(shapes, starts, 0);
  // The middle one of the cluster's queries.
  const int span = static_cast<int>(blockIdx.x - rank) * kBlockQueries;
  const int last = min(queries, span + static_cast<int>(kCluster) * kBlockQueries) - 1;
  const long long middle = (first_query + __ldg(sorted + (span + last) / 2)) * HEADS + head;
  const __half2 looks_at = __ldg(reinterpret_cast<const __half2*>(loc) + first_sample_of(middle));
  Corner begin = {0, 0};
  if (half_sample(looks_at, first.height, first.width).inside)
    begin = window_around(corner_of(looks_at, first), first);
  if (threadIdx.x == 0) {
    barrier_init(shared_address(&arrived), 1);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    barrier_init_fence();
    barrier_arrive_expecting(shared_address(&arrived),
                             kCluster * kPartElements * static_cast<unsigned>(sizeof(__half)));
  }
  cluster_sync();  // the other block's barrier waits for these bytes too
  if (threadIdx.x == 0)
    copy_box_to_both(shared_address(window + rank * kPartElements), map, head * CHANNELS,
                     begin.column, begin.row + static_cast<int>(rank) * (WINDOW / 2), image,
                     shared_address(&arrived));
  const int slot = threadIdx.x / kGroupLanes;
  const int place_in_order = static_cast<int>(blockIdx.x) * kBlockQueries + slot;
  const bool is_there = slot < kBlockQueries && place_in_order < queries;
  Place place{is_there, 0, image, head,
              static_cast<int>(threadIdx.x % kGroupLanes) * kLaneChannels};
  if (is_there)
    place.group =
        static_cast<unsigned>((first_query + __ldg(sorted + place_in_order)) * HEADS + head);
  barrier_wait(shared_address(&arrived), 0);
  if (!is_there) return;
  const __half* const pixels = pixels_of(value, place, rows);
  Octet sum = zero_octet();
#pragma unroll 1
  for (int l = 0; l < LEVELS; ++l) {
    const Level level = level_of(shapes, starts, l);
    const auto of_level =
        load_points<POINTS>(loc, weight, first_sample_of(place.group) + l * POINTS);
#pragma unroll
    for (int p = 0; p < POINTS; ++p) {
      const HalfSample s = half_sample(of_level.location[p], level.height, level.width);
      if (!s.inside) continue;
      const CornerWeights corners = corner_weights(s.from_low);
      const Corner at = corner_of(of_level.location[p], level);
      const unsigned row = at.row - begin.row, column = at.column - begin.column;
      const bool here = l == 0 && row < WINDOW - 1 && column < WINDOW - 1;
#pragma unroll
      for (int c = 0; c < 4; ++c) {
        Octet corner;
        if (here) {
          memcpy(&corner,
                 __builtin_assume_aligned(
                     window + (row * WINDOW + column + corner_row(c, WINDOW)) * CHANNELS +
                         place.channel,
                     16),
                 sizeof corner);
        } else {
          corner = load_octet(pixels + (level.first_row + s.row + corner_row(c, level.columns())) *
                                           kPixelStride);
        }
        add_weighed(sum, __hmul(corners.of[c], of_level.weight[p]), corner);
      }
    }
  }
  store_octet(out + sum_of(place), sum);
#endif
}
