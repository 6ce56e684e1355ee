// kernels/deform/sorted_queries.cu: queries of one image in the order of where they look.
//
// Against interleaved_compile_time_points neighbouring lanes have queries whose first sample lies
// in the same cell of the first level. Sorting belongs to the call. Look at L1's hit rate and at
// the bytes from L2: it pays where samples of such queries coincide, and nowhere else.
//
//   LEVELS, POINTS, CHANNELS, HEADS  see levels.cuh
//   CELL  pixels of the first level that a cell has along either axis
#include "deform/group_sum.cuh"

// Cells of an image; one more has the queries whose first sample does not count.
struct Cells {
  int columns, count;
};
__device__ __forceinline__ Cells cells_of(const Level& first) {
  const int columns = (first.width + 2 + CELL - 1) / CELL;
  return {columns, columns * ((first.height + 2 + CELL - 1) / CELL) + 1};
}
__device__ __forceinline__ int cell_of(const __half* loc, unsigned query, const Level& first,
                                       const Cells& cells) {
  const __half2 location =
      __ldg(reinterpret_cast<const __half2*>(loc) + first_sample_of(query * HEADS));
  const HalfSample s = half_sample(location, first.height, first.width);
  if (!s.inside) return cells.count - 1;
  return s.row / first.columns() / CELL * cells.columns + s.row % first.columns() / CELL;
}

extern "C" __global__ void count_cells(const long long* __restrict__ shapes,  // [LEVELS][2]
                                       const long long* __restrict__ starts,  // [LEVELS]
                                       const __half* __restrict__ loc,
                                       int* places,  // [batch][cells], zeros before
                                       int batch, int queries) {
  const unsigned query = blockIdx.x * blockDim.x + threadIdx.x;
  if (query >= static_cast<unsigned>(batch) * queries) return;
  const Level first = level_of(shapes, starts, 0);
  const Cells cells = cells_of(first);
  atomicAdd(places + query / queries * cells.count + cell_of(loc, query, first, cells), 1);
}

// Counts become the first place of each cell; a block of 256 threads for an image.
extern "C" __global__ void __launch_bounds__(256) first_places(int* places,  // [batch][cells]
                                                               int cells) {
  __shared__ int sums[256];
  int* const own = places + static_cast<long long>(blockIdx.x) * cells;
  int before = 0;
  for (int base = 0; base < cells; base += 256) {
    const int i = base + static_cast<int>(threadIdx.x);
    const int count = i < cells ? own[i] : 0;
    sums[threadIdx.x] = count;
    __syncthreads();
    for (int apart = 1; apart < 256; apart *= 2) {
      const int left = static_cast<int>(threadIdx.x) >= apart ? sums[threadIdx.x - apart] : 0;
      __syncthreads();
      sums[threadIdx.x] += left;
      __syncthreads();
    }
    if (i < cells) own[i] = before + sums[threadIdx.x] - count;
    before += sums[255];
    __syncthreads();
  }
}

extern "C" __global__ void order_queries(const long long* __restrict__ shapes,  // [LEVELS][2]
                                         const long long* __restrict__ starts,  // [LEVELS]
                                         const __half* __restrict__ loc,
                                         int* places,              // [batch][cells]
                                         int* __restrict__ order,  // [batch][queries]
                                         int batch, int queries) {
  const unsigned query = blockIdx.x * blockDim.x + threadIdx.x;
  if (query >= static_cast<unsigned>(batch) * queries) return;
  const Level first = level_of(shapes, starts, 0);
  const Cells cells = cells_of(first);
  const unsigned image = query / queries;
  const int place = atomicAdd(places + image * cells.count + cell_of(loc, query, first, cells), 1);
  // A step that is timed alone runs again and again, and nothing clears the counts between: first
  // places of first places grow until they overflow, and are less than nothing then.
  if (static_cast<unsigned>(place) < static_cast<unsigned>(queries))
    order[static_cast<long long>(image) * queries + place] = static_cast<int>(query % queries);
}

extern "C" __global__ void sorted_queries(
    const __half* __restrict__ value,      // [batch][rows][HEADS][CHANNELS]
    const long long* __restrict__ shapes,  // [LEVELS][2]
    const long long* __restrict__ starts,  // [LEVELS]
    const __half* __restrict__ loc,        // [batch][queries][HEADS][LEVELS][POINTS][2]
    const __half* __restrict__ weight,     // [batch][queries][HEADS][LEVELS][POINTS]
    __half* __restrict__ out,              // [batch][queries][HEADS][CHANNELS]
    int batch, int queries, int rows,
    const int* __restrict__ order) {  // [batch][queries]: queries of an image
  const Place at = place_of(batch, queries);
  if (!at.is_there) return;
  const unsigned query =
      at.image * static_cast<unsigned>(queries) + __ldg(order + at.group / HEADS);
  const unsigned group = query * HEADS + at.head;
  const Place place = place_of(group * kGroupLanes + at.channel / kLaneChannels, batch, queries);
  store_octet(out + sum_of(place), sum_of_group(place, value, shapes, starts, loc, weight, rows));
}
