// profiling/access/lane_addresses.cpp: the addresses of a warp's lanes, in order.
#include "profiling/access/lane_addresses.h"

#include <algorithm>
#include <bit>

namespace warpscope {
namespace {

// Distinct blocks of so many bytes (a power of two), lane by lane.
template <std::uint64_t unit>
struct Blocks {
  std::uint64_t count, last;
  Blocks(std::uint64_t first_byte, std::uint64_t last_byte)
      : count(last_byte / unit - first_byte / unit + 1), last(last_byte / unit) {}
  // Of the next lane, which begins and ends no sooner than the one before.
  void add(std::uint64_t first_byte, std::uint64_t last_byte) {
    const std::uint64_t first = first_byte / unit, before = last;
    last = last_byte / unit;
    count += last - (first > before ? first - 1 : before);
  }
};

}  // namespace

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
  if (active == every_lane) {
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
  const std::uint64_t start = lanes.address[0], end = last_byte(start, width);
  Blocks<1> bytes(start, end);
  Blocks<32> sectors(start, end);
  Blocks<128> lines(start, end);
  for (int k = 1; k < lanes.count; ++k) {
    const std::uint64_t first = lanes.address[static_cast<std::size_t>(k)];
    const std::uint64_t last = last_byte(first, width);
    bytes.add(first, last), sectors.add(first, last), lines.add(first, last);
  }
  return {static_cast<std::int64_t>(bytes.count), static_cast<std::int64_t>(sectors.count),
          static_cast<std::int64_t>(lines.count)};
}

std::int64_t distinct_bytes(const SortedLanes& lanes, int width) {
  if (lanes.count == 0) return 0;
  Blocks<1> bytes(lanes.address[0], last_byte(lanes.address[0], width));
  for (int k = 1; k < lanes.count; ++k) {
    const std::uint64_t first = lanes.address[static_cast<std::size_t>(k)];
    bytes.add(first, last_byte(first, width));
  }
  return static_cast<std::int64_t>(bytes.count);
}

}  // namespace warpscope
