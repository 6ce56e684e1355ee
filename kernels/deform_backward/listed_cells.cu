// kernels/deform_backward/listed_cells.cu: cells with samples are listed, then warps add them up.
//
// The steps that sorted_cells and sorted_parts share. Counts of samples per cell become places in
// the sorted list, and items: up to CHUNK samples of one cell. A warp adds up an item in
// registers, and adds the sums to four corners once. A step that is timed alone runs again and
// again, and nothing clears the counts of sorted_cells between: all places are kept below the
// number of samples.
//
//   LEVELS, POINTS, CHANNELS, HEADS, TYPE  see samples.cuh
//   CHUNK  most samples of a warp
#include "deform_backward/cells.cuh"

constexpr int kListThreads = 1024;

// Samples of a cell, from `begin` to `end` of those of its image and head.
struct alignas(16) Item {
  unsigned begin, end, row, unused;
};

// For a block: the sum of the values of the threads before this one, and of all.
__device__ __forceinline__ unsigned long long sum_before(unsigned long long own,
                                                         unsigned long long& all) {
  constexpr int kWarps = kListThreads / 32;
  __shared__ unsigned long long of_warps[kWarps];
  const int lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
  unsigned long long sum = own;  // of the lanes before it, and own
  for (int offset = 1; offset < 32; offset *= 2) {
    const unsigned long long other = __shfl_up_sync(kAll, sum, offset);
    if (lane >= offset) sum += other;
  }
  __syncthreads();  // of_warps was read
  if (lane == 31) of_warps[warp] = sum;
  __syncthreads();
  unsigned long long before = sum - own;
  all = 0;
  for (int w = 0; w < kWarps; ++w) {
    if (w < warp) before += of_warps[w];
    all += of_warps[w];
  }
  return before;
}

// One block per image and head.
extern "C" __global__ void __launch_bounds__(kListThreads)
    list_cells(const unsigned* __restrict__ counts,  // [batch][HEADS][parts][rows]
               unsigned* __restrict__ places,        // as counts
               Item* __restrict__ items,             // [batch][HEADS][rows + samples / CHUNK]
               unsigned* __restrict__ item_counts,   // [batch][HEADS]
               int queries, int rows, int parts) {
  const unsigned samples = static_cast<unsigned>(queries) * kSamples;  // of an image and head
  const long long head = blockIdx.x;
  Item* const own_items = items + head * (rows + samples / CHUNK);
  unsigned long long counted = 0, listed = 0;
  for (int base = 0; base < rows; base += kListThreads) {
    const int row = base + static_cast<int>(threadIdx.x);
    const long long first = head * parts * rows + row;
    unsigned long long count = 0;
    for (int p = 0; row < rows && p < parts; ++p)
      count += counts[first + static_cast<long long>(p) * rows];
    unsigned long long all;
    unsigned long long place = counted + sum_before(count, all);
    counted += all;
    const unsigned begin = static_cast<unsigned>(min(place, 0ull + samples));
    const unsigned end = static_cast<unsigned>(min(place + count, 0ull + samples));
    const unsigned parts_of_cell = (end - begin + CHUNK - 1) / CHUNK;
    Item* const own = own_items + listed + sum_before(parts_of_cell, all);
    listed += all;
    for (unsigned i = 0; i < parts_of_cell; ++i)
      own[i] = {begin + i * CHUNK, min(end, begin + (i + 1) * CHUNK), static_cast<unsigned>(row),
                0};
    for (int p = 0; row < rows && p < parts; ++p) {
      const long long at = first + static_cast<long long>(p) * rows;
      places[at] = static_cast<unsigned>(min(place, 0ull + samples));
      place += counts[at];
    }
  }
  if (threadIdx.x == 0) item_counts[head] = static_cast<unsigned>(listed);
}

// Blocks of an image and head (blockIdx.y) share its items.
extern "C" __global__ void sum_cells(const long long* __restrict__ shapes,  // [LEVELS][2]
                                     const long long* __restrict__ starts,  // [LEVELS]
                                     const Value* __restrict__ grad_out,
                                     const Entry* __restrict__ entries,  // [batch][HEADS][samples]
                                     const Item* __restrict__ items,
                                     const unsigned* __restrict__ item_counts,
                                     float* __restrict__ grad_value, int batch, int queries,
                                     int rows) {
  const unsigned samples = static_cast<unsigned>(queries) * kSamples;
  const unsigned groups = static_cast<unsigned>(batch) * queries * HEADS;
  const long long head = blockIdx.y;
  const unsigned warps = gridDim.x * (blockDim.x / 32), count = item_counts[head];
  float* const pixels = grad_value + head / HEADS * rows * kPixelStride + head % HEADS * CHANNELS;
  for (unsigned i = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32; i < count; i += warps) {
    const Item item = items[head * (rows + samples / CHUNK) + i];
    CellSums sums;
    sums.add(entries + head * samples, item.begin, item.end, grad_out, groups);
    sums.flush(pixels + static_cast<long long>(item.row) * kPixelStride,
               columns_at(shapes, starts, static_cast<int>(item.row)));
  }
}
