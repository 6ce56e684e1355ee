// profiling/access/lane_addresses.h: the addresses of a warp's lanes, in order, and what of memory
// they touch.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace warpscope {

inline constexpr std::uint32_t every_lane = 0xFFFFFFFFU;

// One address a lane of a warp; those of lanes that take no part are not looked at.
using LaneAddresses = std::span<const std::uint64_t, 32>;

bool all_at_one_address(LaneAddresses addresses, std::uint32_t active);
std::int64_t distinct_addresses(LaneAddresses addresses, std::uint32_t active);

// Of `width` bytes; no further than the end of the address space.
inline std::uint64_t last_byte(std::uint64_t address, int width) {
  const std::uint64_t last = address + static_cast<std::uint64_t>(width - 1);
  return last < address ? ~0ULL : last;
}

// The active lanes' addresses by rising address.
struct SortedLanes {
  std::array<std::uint64_t, 32> address;
  int count = 0;
};
SortedLanes sorted_lanes(LaneAddresses addresses, std::uint32_t active);

// What lanes of `width` bytes touch: distinct bytes, and the distinct sectors and lines that hold
// them.
struct Touched {
  std::int64_t bytes = 0, sectors = 0, lines = 0;
};
Touched touched(const SortedLanes& lanes, int width);
std::int64_t distinct_bytes(const SortedLanes& lanes, int width);  // alone

}  // namespace warpscope
