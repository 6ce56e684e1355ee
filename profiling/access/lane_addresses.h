// profiling/access/lane_addresses.h: the addresses of a warp's lanes, in order, and what of memory
// they touch.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "scenes/base/device_units.h"

namespace warpscope {

// One address a lane of a warp; those of lanes that take no part are not looked at.
using LaneAddresses = std::span<const std::uint64_t, kWarpLanes>;

bool all_at_one_address(LaneAddresses addresses, std::uint32_t active);
std::int64_t distinct_addresses(LaneAddresses addresses, std::uint32_t active);

// The last of `width` bytes; no further than the end of the address space.
inline std::uint64_t last_byte(std::uint64_t address, int width) {
  const std::uint64_t last = address + static_cast<std::uint64_t>(width - 1);
  return last < address ? ~0ULL : last;
}

// The active lanes' addresses by rising address.
struct SortedLanes {
  std::array<std::uint64_t, kWarpLanes> address;
  int count = 0;
};
SortedLanes sorted_lanes(LaneAddresses addresses, std::uint32_t active);

// How many distinct blocks of `unit` bytes ranges of bytes touch, which begin and end no sooner
// than the one before, as lanes of one width do in the order of their addresses.
template <std::uint64_t unit>
class DistinctBlocks {
 public:
  DistinctBlocks(std::uint64_t first_byte, std::uint64_t last_byte)
      : count_(last_byte / unit - first_byte / unit + 1), last_(last_byte / unit) {}
  void add(std::uint64_t first_byte, std::uint64_t last_byte) {
    const std::uint64_t first = first_byte / unit, last = last_byte / unit;
    count_ += last - (first > last_ ? first - 1 : last_);  // all up to there is counted
    last_ = last;
  }
  std::int64_t count() const { return static_cast<std::int64_t>(count_); }

 private:
  std::uint64_t count_, last_;
};

// Distinct bytes, and the distinct sectors and lines that hold them.
struct Touched {
  std::int64_t bytes = 0, sectors = 0, lines = 0;
};
class TouchedRanges {
 public:
  TouchedRanges(std::uint64_t first_byte, std::uint64_t last_byte)
      : bytes_(first_byte, last_byte),
        sectors_(first_byte, last_byte),
        lines_(first_byte, last_byte) {}
  void add(std::uint64_t first_byte, std::uint64_t last_byte) {
    bytes_.add(first_byte, last_byte);
    sectors_.add(first_byte, last_byte);
    lines_.add(first_byte, last_byte);
  }
  Touched sum() const { return {bytes_.count(), sectors_.count(), lines_.count()}; }

 private:
  DistinctBlocks<1> bytes_;
  DistinctBlocks<kSectorBytes> sectors_;
  DistinctBlocks<kLineBytes> lines_;
};

// What lanes of `width` bytes touch.
Touched touched(const SortedLanes& lanes, int width);
std::int64_t distinct_bytes(const SortedLanes& lanes, int width);  // alone

}  // namespace warpscope
