// kernels/deform_backward/cell_list.cuh: places of cells in the list of sorted samples.
#pragma once

// CHUNK: most samples of an item, which a warp adds up.

// The cells of all images are numbered as [batch][rows][HEADS].
struct alignas(16) Item {
  unsigned cell, begin, end, unused;  // of the sorted entries
};

constexpr int kListThreads = 256;  // of a block

// For blocks of one cell per thread: where the cell's samples begin. Adds the cell's items. Blocks
// take their places in any order, and cells of a block lie side by side. total: its low half
// counts samples, its high half items.
__device__ __forceinline__ unsigned list_cell(unsigned cell, unsigned count,
                                              Item* __restrict__ items,
                                              unsigned long long* __restrict__ total) {
  constexpr int kWarps = kListThreads / 32;
  __shared__ unsigned long long of_warps[kWarps], of_block;
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned long long own =
      static_cast<unsigned long long>((count + CHUNK - 1) / CHUNK) << 32 | count;
  unsigned long long before = own;  // of the lanes before it, and own
  for (int offset = 1; offset < 32; offset *= 2) {
    const unsigned long long other = __shfl_up_sync(0xffffffffu, before, offset);
    if (lane >= offset) before += other;
  }
  if (lane == 31) of_warps[warp] = before;
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned long long sum = 0;
    for (int w = 0; w < kWarps; ++w) {
      const unsigned long long of_warp = of_warps[w];
      of_warps[w] = sum;
      sum += of_warp;
    }
    of_block = atomicAdd(total, sum);
  }
  __syncthreads();
  before += of_block + of_warps[warp] - own;
  const unsigned begin = static_cast<unsigned>(before);
  Item* item = items + (before >> 32);
  for (unsigned done = 0; done < count; done += CHUNK)
    *item++ = {cell, begin + done, begin + min(count, done + CHUNK), 0};
  return begin;
}
