// tests/emulator/collectives.cu: lanes that exchange values under masks that depend on the data.
//
// Every thread has an element x of `in` and writes elements of up to three planes of `out`; the
// fourth plane, zero at first, takes sums of all threads. collectives.h has what each kernel gives.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

#define PLANE 512
#define ALL 0xffffffffu
#define KERNEL(name) extern "C" __global__ void name(const int* in, int* out, int n)

struct Thread {
  int i, lane, x;
};
__device__ Thread thread_of(const int* in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  return {i, static_cast<int>(threadIdx.x % 32), in[i]};
}
__device__ unsigned lanes_below() { return (1u << threadIdx.x % 32) - 1; }

// Groups of cooperative_groups.

KERNEL(labeled_partition) {
  const Thread t = thread_of(in);
  const cg::coalesced_group part = cg::labeled_partition(cg::coalesced_threads(), t.x & 3);
  out[t.i] = cg::reduce(part, t.x, cg::plus<int>());
  out[PLANE + t.i] = part.size();
  out[2 * PLANE + t.i] = part.thread_rank();
}

KERNEL(binary_partition) {
  const Thread t = thread_of(in);
  const cg::coalesced_group part = cg::binary_partition(cg::coalesced_threads(), t.x > 100);
  out[t.i] = cg::reduce(part, t.x, cg::plus<int>());
  out[PLANE + t.i] = part.size();
  out[2 * PLANE + t.i] = cg::reduce(part, t.x, cg::less<int>());
}

KERNEL(partition_of_tiles) {
  const Thread t = thread_of(in);
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  const cg::coalesced_group part = cg::labeled_partition(tile, t.x % 3);
  out[t.i] = cg::reduce(part, t.x, cg::plus<int>());
  out[PLANE + t.i] = cg::binary_partition(tile, t.x % 2 == 0).size();
}

KERNEL(coalesced_threads) {
  const Thread t = thread_of(in);
  if (t.x % 3 == 0) {
    const cg::coalesced_group group = cg::coalesced_threads();
    out[t.i] = cg::reduce(group, t.x, cg::greater<int>());
    out[PLANE + t.i] = group.shfl(t.x, group.size() - 1);
    out[2 * PLANE + t.i] = group.ballot(t.x > 0);
  } else {
    const cg::coalesced_group group = cg::coalesced_threads();
    out[t.i] = cg::reduce(group, t.x, cg::less<int>());
    out[PLANE + t.i] = group.shfl_up(t.x, 1);
    out[2 * PLANE + t.i] = group.any(t.x > 990);
  }
}

// Sums of halves of a group of any size go by shuffles, not by redux.
KERNEL(coalesced_floats) {
  const Thread t = thread_of(in);
  if (t.x % 5 < 2) {
    const cg::coalesced_group group = cg::coalesced_threads();
    out[t.i] = static_cast<int>(cg::reduce(group, static_cast<float>(t.x), cg::plus<float>()));
    out[PLANE + t.i] = cg::inclusive_scan(group, t.x);
  }
}

template <int size>
__device__ int tile_sum(int x) {
  const auto tile = cg::tiled_partition<size>(cg::this_thread_block());
  int sum = x;
  for (int d = size / 2; d > 0; d /= 2) sum += tile.shfl_xor(sum, d);
  return sum + 1000000 * (cg::reduce(tile, x, cg::plus<int>()) != sum);
}
KERNEL(tile_sums) {
  const Thread t = thread_of(in);
  out[t.i] = tile_sum<32>(t.x) + tile_sum<1>(t.x);
  out[PLANE + t.i] = tile_sum<16>(t.x) + 7 * tile_sum<2>(t.x);
  out[2 * PLANE + t.i] = tile_sum<8>(t.x) + 7 * tile_sum<4>(t.x);
}

KERNEL(tile_scans) {
  const Thread t = thread_of(in);
  const auto eight = cg::tiled_partition<8>(cg::this_thread_block());
  out[t.i] = cg::inclusive_scan(cg::tiled_partition<32>(cg::this_thread_block()), t.x);
  out[PLANE + t.i] = cg::exclusive_scan(eight, t.x);
  out[2 * PLANE + t.i] = cg::inclusive_scan(eight, t.x, cg::bit_xor<int>());
}

KERNEL(tile_shuffles) {
  const Thread t = thread_of(in);
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  out[t.i] = tile.shfl(t.x, 3) + 3 * tile.shfl_up(t.x, 1);
  out[PLANE + t.i] = tile.shfl_down(t.x, 2) + 3 * tile.shfl_xor(t.x, 5);
  out[2 * PLANE + t.i] = tile.ballot(t.x & 1) | tile.match_any(t.x & 1) << 8;
}

// Matches.

KERNEL(match_any_sums) {
  const Thread t = thread_of(in);
  const unsigned same = __match_any_sync(ALL, t.x & 7);
  out[t.i] = __reduce_add_sync(same, t.x);
  out[PLANE + t.i] = same;
  out[2 * PLANE + t.i] = __popc(__ballot_sync(same, t.x > 0));
}

KERNEL(match_any_wide) {
  const Thread t = thread_of(in);
  const unsigned long long key = static_cast<unsigned long long>(t.x & 1) << 40 | (t.x >> 1 & 1);
  out[t.i] = __match_any_sync(ALL, key);
}

KERNEL(match_all) {
  const Thread t = thread_of(in);
  const unsigned half = t.lane < 16 ? 0xffffu : 0xffff0000u;
  int all = 0, all_of_pair = 0;
  out[t.i] = __match_all_sync(half, (t.i / 16) % 2 == 0 ? 5 : t.x, &all);
  out[PLANE + t.i] = all;
  const unsigned pair = 3u << (t.lane & ~1);
  __match_all_sync(pair, t.x & 2, &all_of_pair);
  out[2 * PLANE + t.i] = all_of_pair;
}

// Votes.

KERNEL(ballots_of_arms) {
  const Thread t = thread_of(in);
  const unsigned odd = __ballot_sync(ALL, t.x & 1);
  if (t.x & 1) {
    out[t.i] = __ballot_sync(odd, t.x & 2);
  } else {
    out[t.i] = __ballot_sync(~odd, t.x & 4);
  }
}

KERNEL(votes_of_some_lanes) {
  const Thread t = thread_of(in);
  const unsigned some = 0x0ff0f00fu;
  if (some >> t.lane & 1) {
    out[t.i] = __all_sync(some, t.x > -900) | __any_sync(some, t.x > 990) << 1;
    out[PLANE + t.i] = __ballot_sync(some, t.x & 1);
  }
}

KERNEL(votes_of_groups) {
  const Thread t = thread_of(in);
  const unsigned quad = 0xfu << (t.lane & ~3);
  out[t.i] = __all_sync(quad, t.x > -500) | __any_sync(quad, t.x > 500) << 1;
  out[PLANE + t.i] = __ballot_sync(quad, t.x > 0);
}

// Shuffles.

KERNEL(shuffles_of_width) {
  const Thread t = thread_of(in);
  if (t.lane < 16) {
    out[t.i] = __shfl_sync(0xffffu, t.x, 5, 8) + 3 * __shfl_xor_sync(0xffffu, t.x, 2, 4);
    out[PLANE + t.i] = __shfl_up_sync(0xffffu, t.x, 3, 8);
    out[2 * PLANE + t.i] = __shfl_down_sync(0xffffu, t.x, 9, 16);
  } else if (t.lane >= 24) {
    out[t.i] = __shfl_sync(0xff000000u, t.x, t.x, 8);
  }
}

KERNEL(shuffle_scan) {
  const Thread t = thread_of(in);
  int sum = t.x;
  for (int d = 1; d < 32; d *= 2) {
    const int before = __shfl_up_sync(ALL, sum, d);
    if (t.lane >= d) sum += before;
  }
  out[t.i] = sum;
}

KERNEL(shuffle_sort) {
  const Thread t = thread_of(in);
  int value = t.x;
  for (int size = 2; size <= 32; size *= 2) {
    for (int d = size / 2; d > 0; d /= 2) {
      const int other = __shfl_xor_sync(ALL, value, d);
      const bool up = (t.lane & size) == 0, low = (t.lane & d) == 0;
      value = up == low ? min(value, other) : max(value, other);
    }
  }
  out[t.i] = value;
}

KERNEL(shuffles_meet_across_arms) {
  const Thread t = thread_of(in);
  int value = t.x;
  if (t.lane < 16) {
    value = __shfl_xor_sync(ALL, value, 16) + 1;
  } else {
    value = __shfl_xor_sync(ALL, value, 16) + 2;
  }
  out[t.i] = value;
}

KERNEL(block_sum) {
  __shared__ int s[32];
  const Thread t = thread_of(in);
  int sum = t.x;
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(ALL, sum, d);
  if (t.lane == 0) s[threadIdx.x / 32] = sum;
  __syncthreads();
  const int warps = blockDim.x / 32;
  if (threadIdx.x < 4) {
    sum = threadIdx.x < warps ? s[threadIdx.x] : 0;
    for (int d = 2; d > 0; d /= 2) sum += __shfl_down_sync(0xfu, sum, d, 4);
  }
  if (threadIdx.x == 0) out[t.i] = sum;
}

// redux.sync of every operation, for lanes of odd and of even elements at once.

__device__ unsigned lanes_of_parity(int x) {
  const unsigned odd = __ballot_sync(ALL, x & 1);
  return x & 1 ? odd : ~odd;
}
KERNEL(redux_add) {
  const Thread t = thread_of(in);
  out[t.i] = __reduce_add_sync(lanes_of_parity(t.x), t.x);
  out[PLANE + t.i] = __reduce_add_sync(lanes_of_parity(t.x), static_cast<unsigned>(t.x));
}
KERNEL(redux_min) {
  const Thread t = thread_of(in);
  out[t.i] = __reduce_min_sync(lanes_of_parity(t.x), t.x);
  out[PLANE + t.i] = __reduce_min_sync(lanes_of_parity(t.x), static_cast<unsigned>(t.x));
}
KERNEL(redux_max) {
  const Thread t = thread_of(in);
  out[t.i] = __reduce_max_sync(lanes_of_parity(t.x), t.x);
  out[PLANE + t.i] = __reduce_max_sync(lanes_of_parity(t.x), static_cast<unsigned>(t.x));
}
KERNEL(redux_and) {
  const Thread t = thread_of(in);
  out[t.i] = __reduce_and_sync(lanes_of_parity(t.x), static_cast<unsigned>(t.x) | 0x10f);
}
KERNEL(redux_or) {
  const Thread t = thread_of(in);
  out[t.i] = __reduce_or_sync(lanes_of_parity(t.x), static_cast<unsigned>(t.x) & 0x2a5);
}
KERNEL(redux_xor) {
  const Thread t = thread_of(in);
  out[t.i] = __reduce_xor_sync(lanes_of_parity(t.x), static_cast<unsigned>(t.x));
}

// Control flow.

KERNEL(arms_with_masks_of_their_own) {
  const Thread t = thread_of(in);
  const unsigned mine = __match_any_sync(ALL, t.x & 3);
  const int leader = __ffs(mine) - 1;
  switch (t.x & 3) {
    case 0:
      out[t.i] = __shfl_sync(mine, t.x, leader);
      break;
    case 1:
      out[t.i] = __reduce_max_sync(mine, t.x);
      break;
    case 2:
      out[t.i] = __popc(__ballot_sync(mine, t.x > 0));
      __syncwarp(mine);
      break;
    default:
      out[t.i] = __popc(__match_any_sync(mine, t.x & 4));
  }
}

KERNEL(lanes_leave_a_loop) {
  const Thread t = thread_of(in);
  unsigned still = ALL;
  int sum = 0;
  for (int round = 0;; ++round) {
    const bool stays = round < (t.x & 7);
    still = __ballot_sync(still, stays);
    if (!stays) break;
    sum += __popc(still) + __reduce_add_sync(still, t.x);
  }
  out[t.i] = sum;
}

KERNEL(lanes_return_before) {
  const Thread t = thread_of(in);
  if (t.x % 4 == 0) return;
  out[t.i] = __ballot_sync(ALL, t.x & 1);
  out[PLANE + t.i] = __reduce_add_sync(ALL, t.x);
  out[2 * PLANE + t.i] = __any_sync(ALL, t.x > 900) | __all_sync(ALL, t.x % 4 != 0) << 1;
}

KERNEL(partial_last_warp) {
  const Thread t = thread_of(in);
  out[t.i] = __ballot_sync(ALL, t.x & 1);
  out[PLANE + t.i] = __reduce_add_sync(__activemask(), t.x);
  out[2 * PLANE + t.i] = __match_any_sync(__activemask(), t.x & 3);
}

KERNEL(aggregated_atomics) {
  const Thread t = thread_of(in);
  const unsigned same = __match_any_sync(ALL, t.x & 15);
  const int leader = __ffs(same) - 1;
  if (t.lane == leader) atomicAdd(out + 3 * PLANE + (t.x & 15), __popc(same));
  out[t.i] = __popc(same & lanes_below());
  out[PLANE + t.i] = __shfl_sync(same, t.x, leader);
}

KERNEL(filter_by_groups) {
  const Thread t = thread_of(in);
  if (t.x > 0) {
    const cg::coalesced_group group = cg::coalesced_threads();
    if (group.thread_rank() == 0) atomicAdd(out + 3 * PLANE, group.size());
    out[t.i] = group.thread_rank();
  }
}

KERNEL(groups_meet_in_shared) {
  __shared__ int s[1024];
  const Thread t = thread_of(in);
  const unsigned same = __match_any_sync(ALL, t.x & 1);
  s[threadIdx.x] = t.x;
  __syncwarp(same);
  const unsigned above = same & ~lanes_below() & ~(1u << t.lane);
  const int next = __ffs(above != 0 ? above : same) - 1;
  out[t.i] = s[threadIdx.x - t.lane + next];
}
