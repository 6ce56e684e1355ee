// kernels/deform/async_metadata.cu: locations and weights of the next queries arrive while those at
// hand are sampled.
//
// Against interleaved_compile_time_points a block goes through tiles of groups, and copies of 16
// bytes bring a tile's metadata to shared memory once, a tile ahead. Look at the sectors of loc and
// weight, and at what warps wait for.
//
//   LEVELS, POINTS, CHANNELS, HEADS  see levels.cuh; LEVELS · POINTS is a multiple of 8
//   BLOCK  threads of a block
#include <cuda_pipeline_primitives.h>

#include "deform/half_samples.cuh"
#include "deform/levels.cuh"

constexpr int kTile = BLOCK / kGroupLanes;  // groups
// A group's metadata in shared memory, 16 bytes apart from the next one's so that groups lie in
// different banks.
constexpr int kLocBytes = kSamples * 4, kLocStride = kLocBytes + 16;
constexpr int kWeightBytes = kSamples * 2, kWeightStride = kWeightBytes + 16;
constexpr int kStageBytes = kTile * (kLocStride + kWeightStride);

// Rows of `bytes` each, side by side in memory and `stride` apart in shared memory.
template <int BYTES, int STRIDE>
__device__ __forceinline__ void copy_rows(unsigned char* to, const void* from, int count) {
  constexpr int kPieces = BYTES / 16;
  for (int i = threadIdx.x; i < count * kPieces; i += BLOCK)
    __pipeline_memcpy_async(to + i / kPieces * STRIDE + i % kPieces * 16,
                            static_cast<const unsigned char*>(from) + i * 16, 16);
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    async_metadata(const __half* __restrict__ value,      // [batch][rows][HEADS][CHANNELS]
                   const long long* __restrict__ shapes,  // [LEVELS][2]
                   const long long* __restrict__ starts,  // [LEVELS]
                   const __half* __restrict__ loc,     // [batch][queries][HEADS][LEVELS][POINTS][2]
                   const __half* __restrict__ weight,  // [batch][queries][HEADS][LEVELS][POINTS]
                   __half* __restrict__ out,           // [batch][queries][HEADS][CHANNELS]
                   int batch, int queries, int rows) {
  extern __shared__ __align__(16) unsigned char stages[];  // [2][kTile][…]
  const long long groups = static_cast<long long>(batch) * queries * HEADS;
  const long long tiles = (groups + kTile - 1) / kTile;
  const auto fetch = [&](long long tile, int stage) {
    if (tile < tiles) {
      const long long first = tile * kTile;
      const int count = static_cast<int>(groups - first < kTile ? groups - first : kTile);
      unsigned char* const to = stages + stage * kStageBytes;
      copy_rows<kLocBytes, kLocStride>(to, loc + 2 * first * kSamples, count);
      copy_rows<kWeightBytes, kWeightStride>(to + kTile * kLocStride, weight + first * kSamples,
                                             count);
    }
    __pipeline_commit();
  };
  int stage = 0;
  fetch(blockIdx.x, 0);
  for (long long tile = blockIdx.x; tile < tiles; tile += gridDim.x, stage ^= 1) {
    fetch(tile + gridDim.x, stage ^ 1);
    __pipeline_wait_prior(1);
    __syncthreads();
    const Place place =
        place_of(static_cast<unsigned>(tile) * kTile * kGroupLanes + threadIdx.x, batch, queries);
    if (place.is_there) {
      const int cell = threadIdx.x / kGroupLanes;
      const unsigned char* const own = stages + stage * kStageBytes;
      const auto* const locations = reinterpret_cast<const __half2*>(own + cell * kLocStride);
      const auto* const weights =
          reinterpret_cast<const __half*>(own + kTile * kLocStride + cell * kWeightStride);
      const __half* const pixels = pixels_of(value, place, rows);
      Octet sum = zero_octet();
#pragma unroll 1
      for (int l = 0; l < LEVELS; ++l) {
        const Level level = level_of(shapes, starts, l);
#pragma unroll
        for (int p = 0; p < POINTS; ++p) {
          const HalfSample s = half_sample(locations[l * POINTS + p], level.height, level.width);
          if (!s.inside) continue;
          const CornerWeights corners = corner_weights(s.from_low);
#pragma unroll
          for (int c = 0; c < 4; ++c) {
            const int row = level.first_row + s.row + corner_row(c, level.columns());
            add_weighed(sum, __hmul(corners.of[c], weights[l * POINTS + p]),
                        load_octet(pixels + row * kPixelStride));
          }
        }
      }
      store_octet(out + sum_of(place), sum);
    }
    __syncthreads();
  }
}
