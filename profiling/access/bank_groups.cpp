// profiling/access/bank_groups.cpp: lanes that go to the banks of shared memory together.
#include "profiling/access/bank_groups.h"

#include <bit>
#include <cstddef>

namespace warpscope {
namespace {

constexpr int kMostWords = 5;  // of a lane: 16 bytes that begin within a word

// Whether every active lane has its address in common with the lane at `distance`.
bool shares_with_neighbour(LaneAddresses addresses, std::uint32_t active, int distance) {
  for (std::uint32_t rest = active; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest), other = lane ^ distance;
    if (((active >> other) & 1U) == 0 ||
        addresses[static_cast<std::size_t>(lane)] != addresses[static_cast<std::size_t>(other)])
      return false;
  }
  return true;
}

bool is_matrix(AccessKind kind) {
  return kind == AccessKind::matrix_load || kind == AccessKind::matrix_store;
}

}  // namespace

int lanes_a_group(LaneAddresses addresses, std::uint32_t active, int width, AccessKind kind) {
  const int lanes = width <= 4 ? kWarpLanes : width <= 8 ? kWarpLanes / 2 : kWarpLanes / 4;
  if (width != 16 || is_matrix(kind)) return lanes;
  const bool paired = shares_with_neighbour(addresses, active, 1) ||
                      shares_with_neighbour(addresses, active, 2) ||
                      all_at_one_address(addresses, active);
  return paired ? 2 * lanes : lanes;
}

std::uint32_t group_mask(int lanes, int group) {
  return lanes == kWarpLanes ? kAllLanes : ((1U << lanes) - 1) << (group * lanes);
}

std::array<std::uint8_t, kSharedBanks> words_by_bank(LaneAddresses addresses, std::uint32_t lanes,
                                                     int width) {
  // Each bank's words in a chain, from the one met last to the first.
  std::array<std::uint64_t, kWarpLanes * kMostWords> words;
  std::array<std::int16_t, kWarpLanes * kMostWords> before;
  std::array<std::int16_t, kSharedBanks> last;
  std::array<std::uint8_t, kSharedBanks> counts{};
  last.fill(-1);
  std::int16_t used = 0;
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const std::uint64_t address = addresses[static_cast<std::size_t>(std::countr_zero(rest))];
    const std::uint64_t end = last_byte(address, width) / kBankBytes;
    for (std::uint64_t word = address / kBankBytes; word <= end; ++word) {
      const auto bank = static_cast<std::size_t>(word % kSharedBanks);
      int met = last[bank];
      while (met >= 0 && words[static_cast<std::size_t>(met)] != word)
        met = before[static_cast<std::size_t>(met)];
      if (met >= 0) continue;
      words[static_cast<std::size_t>(used)] = word;
      before[static_cast<std::size_t>(used)] = last[bank];
      last[bank] = used++;
      ++counts[bank];
    }
  }
  return counts;
}

}  // namespace warpscope
