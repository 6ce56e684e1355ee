// profiling/access/access_shared.cpp: what warp requests to shared memory cost, and in which
// wavefronts.
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <numeric>

#include "profiling/access/access.h"
#include "profiling/access/bank_groups.h"
#include "profiling/access/lane_addresses.h"

namespace warpscope {
namespace {

using Banks = std::array<std::int64_t, shared_banks>;

std::int64_t most_words(const Banks& words) {
  return *std::max_element(words.begin(), words.end());
}

void add_group(AccessTotals& t, std::int64_t wavefronts) {
  t.wavefronts += wavefronts;
  t.ideal_wavefronts += wavefronts > 0 ? 1 : 0;
  t.worst_ways = std::max(t.worst_ways, wavefronts);
}

// Wavefronts of one group of aligned lanes: as many as lanes with distinct places meet in one slot
// of the group's banks.
std::int64_t count_aligned_group(const WarpRequest& request, int width, std::uint32_t mask) {
  const auto place_bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(width, bank_bytes));
  const auto slots = static_cast<std::uint64_t>(group_lanes(width));
  std::array<std::int64_t, shared_banks> met{};
  LaneSet places;
  for (std::uint32_t rest = request.active & mask; rest != 0; rest &= rest - 1) {
    const std::uint64_t place =
        request.addresses[static_cast<std::size_t>(std::countr_zero(rest))] / place_bytes;
    if (places.insert(place)) ++met[place % slots];
  }
  return *std::max_element(met.begin(), met.end());
}

bool shared_by_formula(const WarpRequest& request, const LanePattern& p, int width, AccessKind kind,
                       AccessTotals& t) {
  const std::int64_t apart = std::abs(p.stride);
  const bool one_address = apart == 0 || p.lanes == 1;
  if (!aligned(p, width) || width > 16 || (!one_address && !p.contiguous)) return false;
  int lanes = group_lanes(width);
  if (one_address && width == 16 && !is_matrix(kind)) lanes *= 2;
  if (!one_address && width < bank_bytes && apart >= bank_bytes && apart % bank_bytes != 0)
    return false;
  // A lane takes one slot of as many as a group has lanes; lanes meet in a slot when their distance
  // is a multiple of slots / gcd(stride, slots).
  const std::int64_t slots = group_lanes(width);
  const std::int64_t slot_bytes = std::max<std::int64_t>(width, bank_bytes);
  const std::int64_t spread =
      apart >= slot_bytes ? slots / std::gcd(apart / slot_bytes, slots) : slots;
  for (int group = 0; group * lanes < warp_lanes; ++group) {
    const int members = std::popcount(request.active & group_mask(lanes, group));
    if (members == 0) continue;
    const bool distinct = !one_address && apart >= slot_bytes;
    add_group(t, distinct ? (members + spread - 1) / spread : 1);
  }
  t.unique_bytes = one_address ? width : regular_bytes(p, width);
  return true;
}

}  // namespace

AccessTotals shared_cost(const WarpRequest& request, int width_bytes, AccessKind kind) {
  AccessTotals t = counted_request(request, width_bytes);
  if (request.active == 0) return t;
  const LanePattern pattern = pattern_of(request);
  if (pattern.regular && shared_by_formula(request, pattern, width_bytes, kind, t)) return t;
  const bool aligned_lanes = width_bytes <= 16 && all_aligned(request, width_bytes);
  const int lanes = lanes_a_group(request, width_bytes, kind);
  for (int group = 0; group * lanes < warp_lanes; ++group) {
    const std::uint32_t mask = group_mask(lanes, group);
    add_group(t, aligned_lanes ? count_aligned_group(request, width_bytes, mask)
                               : most_words(words_by_bank(request, width_bytes, mask)));
  }
  if (aligned_lanes) {
    t.unique_bytes = distinct_addresses(request) * width_bytes;
  } else {
    t.unique_bytes = distinct_bytes(sorted_bytes(request, width_bytes, request.active));
  }
  return t;
}

std::vector<Wavefront> wavefronts(const WarpRequest& request, int width_bytes, AccessKind kind) {
  std::vector<Wavefront> list;
  const int lanes = lanes_a_group(request, width_bytes, kind);
  for (int group = 0; group * lanes < warp_lanes; ++group) {
    const std::size_t start = list.size();
    const std::uint32_t members = request.active & group_mask(lanes, group);
    for (std::uint32_t rest = members; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      const std::uint64_t address = request.addresses[static_cast<std::size_t>(lane)];
      const std::uint64_t end = last_byte(address, width_bytes) / 4;
      for (std::uint64_t word = address / 4; word <= end; ++word) {
        const auto bank = static_cast<std::size_t>(word % shared_banks);
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
  return list;
}

}  // namespace warpscope
