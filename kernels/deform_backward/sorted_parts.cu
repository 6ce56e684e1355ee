// kernels/deform_backward/sorted_parts.cu: the sort of sorted_cells with counts in shared memory.
//
// Against sorted_cells a block counts the samples of a part of an image's queries per cell in
// shared memory, and writes all counts. list_cells of listed_cells.cu gives each part its place in
// each cell. Then a block reads its places and puts its samples there. Look at the atomics in L2:
// counters were most of them, and many blocks added to the same few.
//
//   LEVELS, POINTS, CHANNELS, HEADS, TYPE  see samples.cuh
#include "deform_backward/cells.cuh"
#include "deform_backward/tiles.cuh"

extern "C" __global__ void __launch_bounds__(kThreads)
    count_parts(const long long* __restrict__ shapes,  // [LEVELS][2]
                const long long* __restrict__ starts,  // [LEVELS]
                const Location* __restrict__ loc,      // [batch][queries][HEADS][LEVELS][POINTS]
                unsigned* __restrict__ counts,         // [batch][HEADS][parts][rows]
                int queries, int rows, int part_queries) {
  extern __shared__ unsigned cells[];  // [rows]
  const Tile tile = tile_of(part_queries, queries);
  for (int i = static_cast<int>(threadIdx.x); i < rows; i += kThreads) cells[i] = 0;
  __syncthreads();
  each_sample(tile, shapes, starts, loc, queries,
              [&](unsigned, long long, const Sample& s) { atomicAdd(cells + s.row, 1u); });
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < rows; i += kThreads)
    counts[static_cast<long long>(blockIdx.x) * rows + i] = cells[i];
}

extern "C" __global__ void __launch_bounds__(kThreads)
    place_parts(const long long* __restrict__ shapes, const long long* __restrict__ starts,
                const Location* __restrict__ loc, const Value* __restrict__ weight,
                const unsigned* __restrict__ places,  // as counts
                Entry* __restrict__ entries,          // [batch][HEADS][samples]
                int queries, int rows, int part_queries) {
  extern __shared__ unsigned cells[];  // [rows]
  const Tile tile = tile_of(part_queries, queries);
  for (int i = static_cast<int>(threadIdx.x); i < rows; i += kThreads)
    cells[i] = places[static_cast<long long>(blockIdx.x) * rows + i];
  __syncthreads();
  Entry* const own = entries + tile.first_of_head;
  each_sample(tile, shapes, starts, loc, queries,
              [&](unsigned group, long long index, const Sample& s) {
                const float attention = widened(__ldg(weight + index));
                own[atomicAdd(cells + s.row, 1u)] = {group, s.dx, s.dy, attention};
              });
}
