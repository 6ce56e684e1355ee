// kernels/esmm/persist.cu: blocks that stay take tiles in the order of their work.
//
// Against joint_rows: a tile's work is known before it begins, by the set bits of its patterns. One
// launch counts them, one puts tiles in order, and as many blocks as the device holds take the next
// tile whenever they are done, the longest first. Look at the tail, where multiprocessors have
// nothing left to do: tiles of random bits are all alike, those of a causal matrix are not.
//
//   STAGES, QUADS_OF_A, QUADS_OF_B  see stages.cuh and word_lists.cuh
#include "esmm/stages.cuh"

// Steps of k that the warps of each tile take. A warp counts a tile.
extern "C" __global__ void __launch_bounds__(256)
    count_work(const unsigned* __restrict__ a_pattern,  // [⌈m/32⌉][⌈k/32⌉]
               const unsigned* __restrict__ b_pattern,  // [⌈n/32⌉][⌈k/32⌉]
               unsigned* __restrict__ work,             // [tiles]
               long long m, long long n, long long k) {
  const long long tile = (static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x) / 32;
  const long long across = (n + esmm::kColumns - 1) / esmm::kColumns;
  const long long row = tile / across * esmm::kRows, column = tile % across * esmm::kColumns;
  if (row >= m) return;
  const long long words = (k + 31) / 32;
  unsigned steps = 0;
  for (long long word = threadIdx.x % 32; word < words; word += 32) {
#pragma unroll
    for (int i = 0; i < esmm::kRowGroups; ++i) {
      if (row + i * 32 >= m) continue;
      const unsigned of_rows = a_pattern[(row / 32 + i) * words + word];
#pragma unroll
      for (int j = 0; j < esmm::kColumnGroups; ++j)
        if (column + j * 32 < n)
          steps += __popc(of_rows & b_pattern[(column / 32 + j) * words + word]);
    }
  }
  steps = __reduce_add_sync(0xffffffffu, steps);
  if (threadIdx.x % 32 == 0) work[tile] = steps;
}

// The place of a tile is the number of tiles that come before it. A warp finds one tile's.
extern "C" __global__ void __launch_bounds__(256)
    order_tiles(const unsigned* __restrict__ work,  // [tiles]
                unsigned* __restrict__ order,       // [tiles]: the longest first
                int tiles) {
  const int tile = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / 32);
  if (tile >= tiles) return;
  const unsigned own = work[tile];
  unsigned before = 0;
  for (int other = threadIdx.x % 32; other < tiles; other += 32)
    before += work[other] > own || (work[other] == own && other < tile) ? 1 : 0;
  before = __reduce_add_sync(0xffffffffu, before);
  if (threadIdx.x % 32 == 0) order[before] = tile;
}

extern "C" __global__ void __launch_bounds__(256, 2)
    persist(const float* __restrict__ a,             // [m][k]
            const float* __restrict__ b,             // [k][n]
            const unsigned* __restrict__ a_pattern,  // [⌈m/32⌉][⌈k/32⌉]
            const unsigned* __restrict__ b_pattern,  // [⌈n/32⌉][⌈k/32⌉]
            const unsigned* __restrict__ order,      // [tiles]
            unsigned* __restrict__ queue,            // [1]: tiles taken beside the first of a block
            float* __restrict__ c,                   // [m][n]
            long long m, long long n, long long k, int tiles) {
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ unsigned taken;
  const unsigned across = static_cast<unsigned>((n + esmm::kColumns - 1) / esmm::kColumns);
  unsigned next = blockIdx.x;
  while (next < static_cast<unsigned>(tiles)) {
    const unsigned tile = order[next];
    esmm::multiply_tile<true>(*reinterpret_cast<esmm::Ring*>(shared),
                              {a, b, a_pattern, b_pattern, c, m, n, k},
                              static_cast<long long>(tile / across) * esmm::kRows,
                              static_cast<long long>(tile % across) * esmm::kColumns);
    if (threadIdx.x == 0) taken = gridDim.x + atomicAdd(queue, 1u);
    __syncthreads();
    next = taken;
    __syncthreads();
  }
}
