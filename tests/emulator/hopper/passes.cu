// tests/emulator/hopper/passes.cu: each block of a cluster hands its tile to the next by a bulk
// copy, and counts and sums by stores that tell a barrier.
#include "../tests/emulator/hopper/cluster.cuh"

constexpr int kTile = 128;

// A tile for each block of 128 threads; out: the tile of the block before, then of each block the
// ranks of those that stored to it, and how many added.
extern "C" __global__ void passes(const int* __restrict__ in, int* __restrict__ tiles,
                                  unsigned* __restrict__ from, unsigned* __restrict__ counts) {
  __shared__ alignas(128) int own[kTile];
  __shared__ alignas(128) int got[kTile];
  __shared__ alignas(16) unsigned ranks[16];
  __shared__ alignas(16) unsigned count;
  __shared__ alignas(8) unsigned long long barriers[2];
  const unsigned rank = cluster_rank(), blocks = cluster_size(), next = (rank + 1) % blocks;
  const unsigned tile_full = shared_address(barriers), notes_full = tile_full + 8;
  if (threadIdx.x == 0) {
    count = 0;
    barrier_init(tile_full, 1);
    barrier_init(notes_full, 1);
    barrier_arrive_expecting(tile_full, sizeof own);
    barrier_arrive_expecting(notes_full, 8 * blocks);
    barrier_init_fence();
  }
  own[threadIdx.x] = in[blockIdx.x * kTile + threadIdx.x];
  copies_see();
  cluster_sync();
  if (threadIdx.x == 0) {
    asm volatile(
        "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, "
        "[%3];" ::"r"(mapped(shared_address(got), next)),
        "r"(shared_address(own)), "r"(static_cast<unsigned>(sizeof own)),
        "r"(mapped(tile_full, next))
        : "memory");
  }
  if (threadIdx.x < blocks) {
    asm volatile(
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(
            mapped(shared_address(ranks + rank), threadIdx.x)),
        "r"(rank + 1), "r"(mapped(notes_full, threadIdx.x))
        : "memory");
    asm volatile(
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, "
        "[%2];" ::"r"(mapped(shared_address(&count), threadIdx.x)),
        "r"(rank), "r"(mapped(notes_full, threadIdx.x))
        : "memory");
  }
  barrier_wait(tile_full, 0);
  barrier_wait(notes_full, 0);
  tiles[blockIdx.x * kTile + threadIdx.x] = got[threadIdx.x];
  if (threadIdx.x < blocks) from[blockIdx.x * blocks + threadIdx.x] = ranks[threadIdx.x];
  if (threadIdx.x == 0) counts[blockIdx.x] = count;
  cluster_sync();  // until then other blocks read and write here
}
