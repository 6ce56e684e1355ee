// kernels/deform_backward/sorted_parts.cu: the sort of sorted_cells with counts in shared memory.
//
// Against sorted_cells a block counts the samples of a part of an image's queries per cell in
// shared memory, and writes all counts. One thread per cell adds up the counts of the parts and
// gives each part its place. Then a block reads its places and puts its samples there. The sums
// are those of sorted_cells. Look at the atomics in L2: counters were nine tenths of their
// sectors, and many blocks added to the same few.
//
//   LEVELS, POINTS, CHANNELS, HEADS, TYPE  see samples.cuh
//   CHUNK  most samples of a warp
#include "deform_backward/cell_list.cuh"
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

// One thread per cell. A part's count becomes its place.
extern "C" __global__ void __launch_bounds__(kListThreads)
    list_parts(unsigned* __restrict__ counts,           // [batch][HEADS][parts][rows]
               Item* __restrict__ items,                // [cells + samples / CHUNK]
               unsigned long long* __restrict__ total,  // zero
               int batch, int rows, int parts) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  const int row = static_cast<int>(i % rows), of_head = static_cast<int>(i / rows);
  const bool is_there = of_head < batch * HEADS;
  unsigned* const own = counts + static_cast<long long>(of_head) * parts * rows + row;
  unsigned count = 0;
  for (int p = 0; is_there && p < parts; ++p) count += own[static_cast<long long>(p) * rows];
  const unsigned cell = (static_cast<unsigned>(of_head / HEADS) * rows + row) * HEADS +
                        static_cast<unsigned>(of_head % HEADS);
  unsigned begin = list_cell(cell, count, items, total);
  for (int p = 0; is_there && p < parts; ++p) {
    unsigned& of_part = own[static_cast<long long>(p) * rows];
    const unsigned of_this = of_part;
    of_part = begin;
    begin += of_this;
  }
}

extern "C" __global__ void __launch_bounds__(kThreads)
    place_parts(const long long* __restrict__ shapes, const long long* __restrict__ starts,
                const Location* __restrict__ loc, const Value* __restrict__ weight,
                const unsigned* __restrict__ places,  // [batch][HEADS][parts][rows]
                Entry* __restrict__ entries,          // [samples]
                int queries, int rows, int part_queries) {
  extern __shared__ unsigned cells[];  // [rows]
  const Tile tile = tile_of(part_queries, queries);
  for (int i = static_cast<int>(threadIdx.x); i < rows; i += kThreads)
    cells[i] = places[static_cast<long long>(blockIdx.x) * rows + i];
  __syncthreads();
  each_sample(tile, shapes, starts, loc, queries,
              [&](unsigned group, long long index, const Sample& s) {
                const float attention = widened(__ldg(weight + index));
                entries[atomicAdd(cells + s.row, 1u)] = {group, s.dx, s.dy, attention};
              });
}
