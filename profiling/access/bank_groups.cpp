// profiling/access/bank_groups.cpp: lanes that go to the banks of shared memory together.
#include "profiling/access/bank_groups.h"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace warpscope {
namespace {

// Whether the lane at `distance` from every active lane is inactive or has the same address.
bool shares_with_neighbour(LaneAddresses addresses, std::uint32_t active, int distance) {
  for (std::uint32_t rest = active; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest), other = lane ^ distance;
    if (((active >> other) & 1U) != 0 &&
        addresses[static_cast<std::size_t>(lane)] != addresses[static_cast<std::size_t>(other)])
      return false;
  }
  return true;
}

}  // namespace

int lanes_a_group(LaneAddresses addresses, std::uint32_t active, int width, AccessKind kind) {
  if (width <= 4) return kWarpLanes;
  const int lanes = width <= 8 ? kWarpLanes / 2 : kWarpLanes / 4;
  if (kind != AccessKind::load) return lanes;
  const bool paired =
      shares_with_neighbour(addresses, active, 1) || shares_with_neighbour(addresses, active, 2);
  return paired ? 2 * lanes : lanes;
}

std::uint32_t group_mask(int lanes, int group) {
  return lanes == kWarpLanes ? kAllLanes : ((1U << lanes) - 1) << (group * lanes);
}

std::array<std::uint8_t, kSharedBanks> words_by_bank(const SortedLanes& lanes, int width) {
  std::array<std::uint8_t, kSharedBanks> words{};
  std::uint64_t next = 0;  // the first word not yet counted
  for (int k = 0; k < lanes.count; ++k) {
    const std::uint64_t address = lanes.address[static_cast<std::size_t>(k)];
    const std::uint64_t end = last_byte(address, width) / kBankBytes + 1;
    for (std::uint64_t word = std::max(address / kBankBytes, next); word < end; ++word)
      ++words[word % kSharedBanks];
    next = end;
  }
  return words;
}

}  // namespace warpscope
