// kernels/deform_backward/sorted_cells.cu: samples sorted by cell, so that a warp adds up the
// samples of one cell in registers.
//
// A cell is the square between four pixels; all samples in it add to the same four corners. A
// counting sort brings them together: samples are counted per cell, cells get places in a list,
// and samples are put there. The count that a sample finds is its place in its cell. Then
// sum_cells of listed_cells.cu adds up each cell. The gradients of locations and weights come from
// gather_sums of owner_lanes.cu. Look at the atomics: samples of a cell share them. Against
// owner_lanes, the steps of the sort are added.
//
//   LEVELS, POINTS, CHANNELS, HEADS, TYPE  see samples.cuh
#include "deform_backward/cells.cuh"

// A sample, its image and head, and where its cell is counted; one thread per sample.
struct Found {
  Sample sample;
  long long index, head, cell;
  unsigned group;
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
  f.head = static_cast<long long>(group.image) * HEADS + group.head;
  f.cell = f.head * rows + f.sample.row;
  return f;
}

extern "C" __global__ void count_cells(const long long* __restrict__ shapes,  // [LEVELS][2]
                                       const long long* __restrict__ starts,  // [LEVELS]
                                       const Location* __restrict__ loc,
                                       unsigned* __restrict__ counts,  // [batch][HEADS][rows]
                                       unsigned* __restrict__ ranks,   // [samples]
                                       int batch, int queries, int rows) {
  const Found f = find_sample(shapes, starts, loc, batch, queries, rows);
  if (f.sample.inside) ranks[f.index] = atomicAdd(counts + f.cell, 1u);
}

extern "C" __global__ void place_samples(const long long* __restrict__ shapes,
                                         const long long* __restrict__ starts,
                                         const Location* __restrict__ loc,
                                         const Value* __restrict__ weight,
                                         const unsigned* __restrict__ places,  // as counts
                                         const unsigned* __restrict__ ranks,   // [samples]
                                         Entry* __restrict__ entries,  // [batch][HEADS][samples]
                                         int batch, int queries, int rows) {
  const Found f = find_sample(shapes, starts, loc, batch, queries, rows);
  if (!f.sample.inside) return;
  const unsigned samples = static_cast<unsigned>(queries) * kSamples;
  const unsigned place = __ldg(places + f.cell) + __ldg(ranks + f.index);
  const float attention = widened(__ldg(weight + f.index));
  // Counts that were not cleared are too large.
  if (place < samples)
    entries[f.head * samples + place] = {f.group, f.sample.dx, f.sample.dy, attention};
}
