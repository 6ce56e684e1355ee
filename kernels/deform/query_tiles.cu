// kernels/deform/query_tiles.cu: a block has a square of queries, 8 by 8, two for each lane.
//
// Against interleaved_compile_time_points the same sums, by blocks whose queries lie together in
// the picture instead of in a row of it. Look at L1's hit rate where queries look around a place of
// their own; where all look anywhere, nothing changes.
//
//   LEVELS, POINTS, CHANNELS, HEADS  see levels.cuh
#include "deform/group_sum.cuh"

constexpr int kSide = 8;                // queries of a tile along either axis
constexpr int kPasses = 2;              // queries of a lane
constexpr int kRows = kSide / kPasses;  // of a tile that are at work at once

// A block of kSide · kRows · kGroupLanes threads for a tile of one head and image.
extern "C" __global__ void query_tiles(
    const __half* __restrict__ value,      // [batch][rows][HEADS][CHANNELS]
    const long long* __restrict__ shapes,  // [LEVELS][2]
    const long long* __restrict__ starts,  // [LEVELS]
    const __half* __restrict__ loc,        // [batch][queries][HEADS][LEVELS][POINTS][2]
    const __half* __restrict__ weight,     // [batch][queries][HEADS][LEVELS][POINTS]
    __half* __restrict__ out,              // [batch][queries][HEADS][CHANNELS]
    int batch, int queries, int rows,
    int columns) {  // queries in a row of the picture
  const int lane = threadIdx.x % kGroupLanes, cell = threadIdx.x / kGroupLanes;
  const int image = blockIdx.z / HEADS, head = blockIdx.z % HEADS;
  const int column = blockIdx.x * kSide + cell % kSide;
#pragma unroll 1
  for (int pass = 0; pass < kPasses; ++pass) {
    const int row = blockIdx.y * kSide + pass * kRows + cell / kSide;
    const long long query = static_cast<long long>(row) * columns + column;
    if (column >= columns || query >= queries) continue;
    const auto group =
        static_cast<unsigned>((image * static_cast<long long>(queries) + query) * HEADS + head);
    const Place place = place_of(group * kGroupLanes + lane, batch, queries);
    store_octet(out + sum_of(place), sum_of_group(place, value, shapes, starts, loc, weight, rows));
  }
}
