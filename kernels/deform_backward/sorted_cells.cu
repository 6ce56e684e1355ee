// kernels/deform_backward/sorted_cells.cu: samples sorted by cell, so that a warp adds up the
// samples of one cell in registers.
//
// A cell is the square between four pixels; all samples in it add to the same four corners. The
// samples are counted per cell, cells get their places in a list, and samples are put there: a
// counting sort. Then a warp reads up to CHUNK samples of one cell, adds up their four corners in
// registers, and adds these to grad_value with atomics once. The gradients of locations and
// weights come from another kernel without atomics. Look at the atomics: samples of a cell share
// them. Against transposed_sums, the steps of the sort are added.
//
//   LEVELS, POINTS, CHANNELS, HEADS, TYPE  see samples.cuh
//   CHUNK  most samples of a warp
#include "deform_backward/transposed_sums.cuh"

// A cell is named by its upper left pixel and head: [batch][rows][HEADS].
struct alignas(16) Entry {
  unsigned group;
  float dx, dy, attention;
};
struct alignas(16) Item {
  unsigned cell, begin, end, unused;  // of the sorted entries
};

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

// One thread per cell. Blocks take their places in any order, and cells of a block lie side by
// side. The low half of a number counts entries, the high half items.
extern "C" __global__ void __launch_bounds__(256)
    list_cells(const unsigned* __restrict__ counts,  // [cells]
               unsigned* __restrict__ next,          // [cells]: where the cell's first entry goes
               Item* __restrict__ items,             // [cells + samples / CHUNK]
               unsigned long long* __restrict__ total,  // zero
               long long cells) {
  __shared__ unsigned long long of_warps[8], of_block;
  const long long cell = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned count = cell < cells ? counts[cell] : 0;
  const unsigned long long own =
      static_cast<unsigned long long>((count + CHUNK - 1) / CHUNK) << 32 | count;
  unsigned long long before = own;  // and own
  for (int offset = 1; offset < 32; offset *= 2) {
    const unsigned long long other = __shfl_up_sync(kAll, before, offset);
    if (lane >= offset) before += other;
  }
  if (lane == 31) of_warps[warp] = before;
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned long long sum = 0;
    for (int w = 0; w < 8; ++w) {
      const unsigned long long of_warp = of_warps[w];
      of_warps[w] = sum;
      sum += of_warp;
    }
    of_block = atomicAdd(total, sum);
  }
  __syncthreads();
  if (count == 0) return;
  before += of_block + of_warps[warp] - own;
  const unsigned begin = static_cast<unsigned>(before);
  next[cell] = begin;
  Item* item = items + (before >> 32);
  for (unsigned done = 0; done < count; done += CHUNK)
    *item++ = {static_cast<unsigned>(cell), begin + done, begin + min(count, done + CHUNK), 0};
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

extern "C" __global__ void gather_sums(
    const Value* __restrict__ value, const long long* __restrict__ shapes,
    const long long* __restrict__ starts, const Location* __restrict__ loc,
    const Value* __restrict__ weight, const Value* __restrict__ grad_out,
    float* __restrict__ grad_value, float2* __restrict__ grad_loc, float* __restrict__ grad_weight,
    int batch, int queries, int rows) {
  gradients_of_points<false>(value, shapes, starts, loc, weight, grad_out, grad_value, grad_loc,
                             grad_weight, batch, queries, rows);
}

constexpr int kEntries = 32 / kGroupLanes;  // that a warp reads at once

__device__ __forceinline__ void add_to(float4& sum, float share, float4 g) {
  sum.x = fmaf(share, g.x, sum.x);
  sum.y = fmaf(share, g.y, sum.y);
  sum.z = fmaf(share, g.z, sum.z);
  sum.w = fmaf(share, g.w, sum.w);
}
__device__ __forceinline__ float4 exchanged(float4 kept, float4 sent, int offset) {
  return make_float4(kept.x + __shfl_xor_sync(kAll, sent.x, offset),
                     kept.y + __shfl_xor_sync(kAll, sent.y, offset),
                     kept.z + __shfl_xor_sync(kAll, sent.z, offset),
                     kept.w + __shfl_xor_sync(kAll, sent.w, offset));
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
  const int lane = static_cast<int>(threadIdx.x % 32), channel = 4 * (lane % kGroupLanes);
  float4 sums[4] = {};
#pragma unroll 4
  for (unsigned e = item.begin + lane / kGroupLanes; e < item.end; e += kEntries) {
    const Entry entry = entries[e];
    const float4 g = load_quad(grad_out + static_cast<long long>(entry.group) * CHANNELS + channel);
    const float left = 1.0f - entry.dx, top = 1.0f - entry.dy;
    add_to(sums[0], top * left * entry.attention, g);
    add_to(sums[1], top * entry.dx * entry.attention, g);
    add_to(sums[2], entry.dy * left * entry.attention, g);
    add_to(sums[3], entry.dy * entry.dx * entry.attention, g);
  }
  // Lanes of different entries exchange halves of their corners, until each has one.
  int kept = 4, corner = 0;
#pragma unroll
  for (int offset = 16; offset >= kGroupLanes; offset /= 2) {
    if (kept > 1) {
      kept /= 2;
      const bool second = (lane & offset) != 0;
#pragma unroll
      for (int i = 0; i < kept; ++i) {
        const float4 sent = second ? sums[i] : sums[i + kept];
        sums[i] = exchanged(second ? sums[i + kept] : sums[i], sent, offset);
      }
      corner += second ? kept : 0;
    } else {
      sums[0] = exchanged(sums[0], sums[0], offset);
      if ((lane & offset) != 0) corner = 4;  // another lane adds these
    }
  }
  int l = LEVELS - 1;
  const int row = static_cast<int>(item.cell / HEADS % static_cast<unsigned>(rows));
  while (row < static_cast<int>(__ldg(starts + l))) --l;
  const int columns = level_of(shapes, starts, l).columns();
#pragma unroll
  for (int i = 0; i < kept; ++i) {
    const int c = corner + i;
    float* const to = grad_value + static_cast<long long>(item.cell) * CHANNELS + channel +
                      (c / 2 * columns + c % 2) * kPixelStride;
    if (c < 4) atomicAdd(reinterpret_cast<float4*>(to), sums[i]);
  }
}
