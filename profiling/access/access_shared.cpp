// profiling/access/access_shared.cpp: what warp requests to shared memory cost, and in which
// wavefronts.
#include <algorithm>
#include <bit>
#include <cstddef>

#include "profiling/access/access.h"
#include "profiling/access/bank_groups.h"
#include "profiling/access/lane_addresses.h"

namespace warpscope {
namespace {

// The words of the busiest bank.
std::int64_t most_words(const SortedLanes& lanes, int width) {
  std::uint8_t most = 0;
  for (const std::uint8_t words : words_by_bank(lanes, width)) most = std::max(most, words);
  return most;
}

}  // namespace

void add_shared(AccessTotals& t, LaneAddresses addresses, std::uint32_t active, int width_bytes,
                AccessKind kind) {
  if (active == 0) return;
  t.requests += 1;
  t.lanes += std::popcount(active);
  t.lane_bytes += std::int64_t{width_bytes} * std::popcount(active);
  const SortedLanes all = sorted_lanes(addresses, active);
  t.unique_bytes += distinct_bytes(all, width_bytes);
  const int lanes = lanes_a_group(addresses, active, width_bytes, kind);
  for (int group = 0; group * lanes < kWarpLanes; ++group) {
    const std::uint32_t members = active & group_mask(lanes, group);
    if (members == 0) continue;
    const std::int64_t ways = members == active
                                  ? most_words(all, width_bytes)
                                  : most_words(sorted_lanes(addresses, members), width_bytes);
    t.wavefronts += ways;
    t.ideal_wavefronts += 1;
    t.worst_ways = std::max(t.worst_ways, ways);
  }
}

std::uint32_t lanes_in_other_blocks(LaneAddresses addresses, std::uint32_t active) {
  std::uint32_t there = 0;
  for (int lane = 0; lane < kWarpLanes; ++lane)
    there |= std::uint32_t{addresses[static_cast<std::size_t>(lane)] >= kOwnSharedBytes} << lane;
  return there & active;
}

void add_remote(AccessTotals& t, LaneAddresses addresses, std::uint32_t active, int width_bytes,
                AccessKind kind) {
  const std::uint32_t there = lanes_in_other_blocks(addresses, active);
  add_shared(t, addresses, active & ~there, width_bytes, kind);
  if (there == 0) return;
  const Touched all = touched(sorted_lanes(addresses, there), width_bytes);
  t.requests += there == active ? 1 : 0;
  t.lanes += std::popcount(there);
  t.lane_bytes += std::int64_t{width_bytes} * std::popcount(there);
  t.unique_bytes += all.bytes;
  t.lines += 1;  // remote_requests()
  t.sectors += all.sectors;
}

AccessTotals shared_cost(const WarpRequest& request, int width_bytes, AccessKind kind) {
  AccessTotals t;
  add_remote(t, request.addresses, request.active, width_bytes, kind);
  return t;
}

namespace {

// Those of some lanes of a request.
void add_wavefronts(std::vector<Wavefront>& list, const WarpRequest& request, std::uint32_t active,
                    int width_bytes, AccessKind kind) {
  const int lanes = lanes_a_group(request.addresses, active, width_bytes, kind);
  for (int group = 0; group * lanes < kWarpLanes; ++group) {
    const std::size_t start = list.size();
    const std::uint32_t members = active & group_mask(lanes, group);
    for (std::uint32_t rest = members; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      const std::uint64_t address = request.addresses[static_cast<std::size_t>(lane)];
      const std::uint64_t end = last_byte(address, width_bytes) / 4;
      for (std::uint64_t word = address / 4; word <= end; ++word) {
        const auto bank = static_cast<std::size_t>(word % kSharedBanks);
        std::size_t at = start;  // the group's first wavefront whose bank is idle or has this word
        while (at < list.size() && list[at].word[bank] != -1 &&
               list[at].word[bank] != static_cast<std::int64_t>(word))
          ++at;
        if (at == list.size()) list.emplace_back().word.fill(-1);
        list[at].word[bank] = static_cast<std::int64_t>(word);
        list[at].lanes[bank] |= 1U << lane;
      }
    }
  }
}

}  // namespace

std::vector<Wavefront> wavefronts(const WarpRequest& request, int width_bytes, AccessKind kind) {
  std::vector<Wavefront> list;
  const std::uint32_t there = lanes_in_other_blocks(request.addresses, request.active);
  add_wavefronts(list, request, request.active & ~there, width_bytes, kind);
  add_wavefronts(list, request, there, width_bytes, kind);
  return list;
}

}  // namespace warpscope
