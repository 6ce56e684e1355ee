// kernels/deform_backward/sorted_cells.cu: samples sorted by cell, so that a warp adds up the
// samples of one cell in registers.
//
// A cell is the square between four pixels; all samples in it add to the same four corners. The
// samples are counted per cell, cells get their places in a list, and samples are put there: a
// counting sort. Then a warp reads up to CHUNK samples of one cell, adds up their four corners in
// registers, and adds these to grad_value with atomics once. The gradients of locations and
// weights come from gather_sums of owner_lanes.cu. Look at the atomics: samples of a cell share
// them. Against owner_lanes, the steps of
// the sort are added.
//
//   LEVELS, POINTS, CHANNELS, HEADS, TYPE  see samples.cuh
//   CHUNK  most samples of a warp
#include "deform_backward/cell_list.cuh"
#include "deform_backward/cells.cuh"

// A sample and its cell; one thread per sample.
struct Found {
  Sample sample;
  long long index;
  unsigned group, cell;
};
__device__ __forceinline__ Found find_sample(const long long* __restrict__ shapes,
                                             const long long* __restrict__ starts,
                                             const Location* __restrict__ loc, int batch,
                                             int queries, int rows) {
  Found f = {};
  f.index = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  const Group group = group_at(static_cast<unsigned>(f.index / kSamples), batch, queries);
  if (!group.is_there) return f;
  const int l = static_cast<int>(f.index % kSamples) / POINTS;
  f.sample = sample_at(__ldg(loc + f.index), level_of(shapes, starts, l));
  f.group = group.index;
  f.cell = (static_cast<unsigned>(group.image) * rows + f.sample.row) * HEADS + group.head;
  return f;
}

extern "C" __global__ void count_cells(const long long* __restrict__ shapes,  // [LEVELS][2]
                                       const long long* __restrict__ starts,  // [LEVELS]
                                       const Location* __restrict__ loc,
                                       unsigned* __restrict__ counts,  // [cells], zeros
                                       int batch, int queries, int rows) {
  const Found f = find_sample(shapes, starts, loc, batch, queries, rows);
  if (f.sample.inside) atomicAdd(counts + f.cell, 1u);
}

// One thread per cell.
extern "C" __global__ void __launch_bounds__(kListThreads)
    list_cells(const unsigned* __restrict__ counts,  // [cells]
               unsigned* __restrict__ next,          // [cells]: where the cell's first entry goes
               Item* __restrict__ items,             // [cells + samples / CHUNK]
               unsigned long long* __restrict__ total,  // zero
               long long cells) {
  const long long cell = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  const unsigned count = cell < cells ? counts[cell] : 0;
  const unsigned begin = list_cell(static_cast<unsigned>(cell), count, items, total);
  if (count != 0) next[cell] = begin;
}

extern "C" __global__ void place_samples(const long long* __restrict__ shapes,
                                         const long long* __restrict__ starts,
                                         const Location* __restrict__ loc,
                                         const Value* __restrict__ weight,
                                         unsigned* __restrict__ next,  // [cells]
                                         Entry* __restrict__ entries,  // [samples]
                                         int batch, int queries, int rows) {
  const Found f = find_sample(shapes, starts, loc, batch, queries, rows);
  if (!f.sample.inside) return;
  const float attention = widened(__ldg(weight + f.index));
  entries[atomicAdd(next + f.cell, 1u)] = {f.group, f.sample.dx, f.sample.dy, attention};
}

extern "C" __global__ void sum_cells(const long long* __restrict__ shapes,  // [LEVELS][2]
                                     const long long* __restrict__ starts,  // [LEVELS]
                                     const Value* __restrict__ grad_out,
                                     const Entry* __restrict__ entries,
                                     const Item* __restrict__ items,
                                     const unsigned long long* __restrict__ total,
                                     float* __restrict__ grad_value, int rows) {
  const unsigned warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (warp >= *total >> 32) return;
  const Item item = items[warp];
  CellSums sums;
  sums.add(entries, item.begin, item.end, grad_out);
  const int row = static_cast<int>(item.cell / HEADS % static_cast<unsigned>(rows));
  sums.flush(grad_value + static_cast<long long>(item.cell) * CHANNELS,
             columns_at(shapes, starts, row));
}
