// kernels/deform_backward/sorted_tiles.cu: a block sorts the samples of a tile of queries.
//
// Against sorted_cells a block has TILE queries of an image and sorts their samples alone: it
// counts them per cell in shared memory, so that no counter in L2 is asked for by many blocks, and
// no list of all cells is needed. Then its warps add up the sorted samples in pieces of equal
// length. The tile's rows of grad_out stay in L1. Look at the atomics: more than in sorted_cells,
// because each tile adds to its cells, and fewer sectors from L2.
//
//   LEVELS, POINTS, CHANNELS, HEADS, TYPE  see samples.cuh
#include "deform_backward/cells.cuh"
#include "deform_backward/tiles.cuh"

constexpr int kWarps = kThreads / 32;
constexpr unsigned kPiece = 64;  // sorted samples of a warp at a time

// Each count becomes the sum of those before it. Returns the sum of all.
__device__ __forceinline__ unsigned scan(unsigned* counts, int rows) {
  __shared__ unsigned of_warps[kWarps];
  const int per = (rows + kThreads - 1) / kThreads, lane = static_cast<int>(threadIdx.x % 32);
  const int begin = min(rows, static_cast<int>(threadIdx.x) * per), end = min(rows, begin + per);
  unsigned own = 0;
  for (int i = begin; i < end; ++i) own += counts[i];
  unsigned sum = own;  // of the lanes before it, and own
  for (int offset = 1; offset < 32; offset *= 2) {
    const unsigned other = __shfl_up_sync(kAll, sum, offset);
    if (lane >= offset) sum += other;
  }
  if (lane == 31) of_warps[threadIdx.x / 32] = sum;
  __syncthreads();
  unsigned before = sum - own, all = 0;
  for (int w = 0; w < kWarps; ++w) {
    if (w < static_cast<int>(threadIdx.x / 32)) before += of_warps[w];
    all += of_warps[w];
  }
  for (int i = begin; i < end; ++i) {
    const unsigned count = counts[i];
    counts[i] = before;
    before += count;
  }
  return all;
}

// The first cell from `from` on that ends after sorted sample e. There is one.
__device__ __forceinline__ int next_cell(const unsigned* ends, int rows, int from, unsigned e) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  while (true) {
    const unsigned found = __ballot_sync(kAll, ends[min(from + lane, rows - 1)] > e);
    if (found != 0) return min(from + __ffs(static_cast<int>(found)) - 1, rows - 1);
    from += 32;
  }
}
// The same among all cells: each turn leaves one part of 32.
__device__ __forceinline__ int first_cell(const unsigned* ends, int rows, unsigned e) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  int from = 0, count = rows;
  while (count > 32) {
    const int part = (count + 31) / 32;
    const int last = from + min((lane + 1) * part, count) - 1;
    const int found = __ffs(static_cast<int>(__ballot_sync(kAll, ends[last] > e))) - 1;
    from += found * part;
    count = min(part, count - found * part);
  }
  return next_cell(ends, rows, from, e);
}

extern "C" __global__ void __launch_bounds__(kThreads)
    sorted_tiles(const long long* __restrict__ shapes,  // [LEVELS][2]
                 const long long* __restrict__ starts,  // [LEVELS]
                 const Location* __restrict__ loc,      // [batch][queries][HEADS][LEVELS][POINTS]
                 const Value* __restrict__ weight,      // [batch][queries][HEADS][LEVELS][POINTS]
                 const Value* __restrict__ grad_out,    // [batch][queries][HEADS][CHANNELS]
                 float* __restrict__ grad_value,        // [batch][rows][HEADS][CHANNELS], zeros
                 Entry* sorted,                         // [samples]
                 int queries, int rows, int tile_queries) {
  extern __shared__ unsigned cells[];  // [rows]
  const Tile tile = tile_of(tile_queries, queries);
  Entry* const entries = sorted + tile.first_entry;
  for (int i = static_cast<int>(threadIdx.x); i < rows; i += kThreads) cells[i] = 0;
  __syncthreads();
  each_sample(tile, shapes, starts, loc, queries,
              [&](unsigned, long long, const Sample& s) { atomicAdd(cells + s.row, 1u); });
  __syncthreads();
  const unsigned count = scan(cells, rows);
  __syncthreads();
  // A cell's first place becomes its end.
  each_sample(tile, shapes, starts, loc, queries,
              [&](unsigned group, long long index, const Sample& s) {
                const float attention = widened(__ldg(weight + index));
                entries[atomicAdd(cells + s.row, 1u)] = {group, s.dx, s.dy, attention};
              });
  __syncthreads();
  float* const pixels =
      grad_value + static_cast<long long>(tile.image) * rows * kPixelStride + tile.head * CHANNELS;
  for (unsigned e = threadIdx.x / 32 * kPiece; e < count; e += kWarps * kPiece) {
    const unsigned end = min(count, e + kPiece);
    int cell = first_cell(cells, rows, e);
    for (unsigned begin = e; begin < end;) {
      const unsigned stop = min(end, cells[cell]);
      CellSums sums;
      sums.add(entries, begin, stop, grad_out, 0xffffffffu);
      sums.flush(pixels + static_cast<long long>(cell) * kPixelStride,
                 columns_at(shapes, starts, cell));
      begin = stop;
      if (begin < end) cell = next_cell(cells, rows, cell, begin);
    }
  }
}
