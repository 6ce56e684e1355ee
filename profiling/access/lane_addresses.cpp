// profiling/access/lane_addresses.cpp: the addresses of a warp's lanes, in order.
#include "profiling/access/lane_addresses.h"

#include <algorithm>
#include <bit>

namespace warpscope {
bool all_at_one_address(LaneAddresses addresses, std::uint32_t active) {
  const std::uint64_t first =
      active == 0 ? 0 : addresses[static_cast<std::size_t>(std::countr_zero(active))];
  for (std::uint32_t rest = active; rest != 0; rest &= rest - 1) {
    if (addresses[static_cast<std::size_t>(std::countr_zero(rest))] != first) return false;
  }
  return true;
}

std::int64_t distinct_addresses(LaneAddresses addresses, std::uint32_t active) {
  return distinct_bytes(sorted_lanes(addresses, active), 1);
}

SortedLanes sorted_lanes(LaneAddresses addresses, std::uint32_t active) {
  SortedLanes lanes;
  if (active == kAllLanes) {
    std::copy(addresses.begin(), addresses.end(), lanes.address.begin());
    lanes.count = static_cast<int>(addresses.size());
  } else {
    for (std::uint32_t rest = active; rest != 0; rest &= rest - 1) {
      lanes.address[static_cast<std::size_t>(lanes.count++)] =
          addresses[static_cast<std::size_t>(std::countr_zero(rest))];
    }
  }
  const auto begin = lanes.address.begin(), end = begin + lanes.count;
  if (!std::is_sorted(begin, end)) std::sort(begin, end);
  return lanes;
}

Touched touched(const SortedLanes& lanes, int width) {
  if (lanes.count == 0) return {};
  TouchedRanges ranges(lanes.address[0], last_byte(lanes.address[0], width));
  for (int k = 1; k < lanes.count; ++k) {
    const std::uint64_t first = lanes.address[static_cast<std::size_t>(k)];
    ranges.add(first, last_byte(first, width));
  }
  return ranges.sum();
}

std::int64_t distinct_bytes(const SortedLanes& lanes, int width) {
  if (lanes.count == 0) return 0;
  DistinctBlocks<1> bytes(lanes.address[0], last_byte(lanes.address[0], width));
  for (int k = 1; k < lanes.count; ++k) {
    const std::uint64_t first = lanes.address[static_cast<std::size_t>(k)];
    bytes.add(first, last_byte(first, width));
  }
  return bytes.count();
}

}  // namespace warpscope
