// profiling/access/lane_addresses.h: the addresses of a request's lanes: their pattern, order and
// bytes.
#pragma once

#include <array>
#include <cstdint>

#include "profiling/access/access.h"

namespace warpscope {

inline constexpr std::uint32_t every_lane = 0xFFFFFFFFU;

// The active lanes' addresses in a line: base + (lane − first) · stride.
struct LanePattern {
  bool regular = false;     // the form above holds for every active lane
  bool contiguous = false;  // the active lanes follow one another
  int first = 0, lanes = 0;
  std::uint64_t base = 0;   // of the first active lane
  std::int64_t stride = 0;  // bytes from one lane to the next
};

LanePattern pattern_of(const WarpRequest& request);
// Whether lanes of a regular pattern lie at multiples of a width that is a power of two.
bool aligned(const LanePattern& p, int width);
// Distinct bytes of a regular pattern whose lanes follow one another, or are all at one address.
std::int64_t regular_bytes(const LanePattern& p, int width);

// Whether every active lane's address is a multiple of a width that is a power of two, so that its
// bytes lie in one sector and in one line.
bool all_aligned(const WarpRequest& request, int width);
bool all_at_one_address(const WarpRequest& request);
std::int64_t distinct_addresses(const WarpRequest& request);

// Of `width` bytes; no further than the end of the address space.
std::uint64_t last_byte(std::uint64_t address, int width);

struct ByteInterval {
  std::uint64_t low = 0, high = 0;  // both touched
};

// The active lanes' bytes by rising address.
struct SortedBytes {
  std::array<ByteInterval, warp_lanes> intervals;
  int count = 0;
};
SortedBytes sorted_bytes(const WarpRequest& request, int width, std::uint32_t lanes);
std::int64_t distinct_bytes(const SortedBytes& s);

// Up to 32 distinct numbers, in so many slots that two rarely want the same.
class LaneSet {
 public:
  bool insert(std::uint64_t key) {
    // Multiplicative hashing: Knuth, "The Art of Computer Programming", volume 3, section 6.4.
    std::uint64_t slot = key * 0x9E3779B97F4A7C15ULL >> 56;
    for (; (used_[slot / 64] >> slot % 64 & 1U) != 0; slot = (slot + 1) % kSlots) {
      if (keys_[slot] == key) return false;
    }
    used_[slot / 64] |= 1ULL << slot % 64;
    keys_[slot] = key;
    ++size_;
    return true;
  }
  std::int64_t size() const { return size_; }

 private:
  static constexpr std::uint64_t kSlots = 256;
  std::array<std::uint64_t, kSlots> keys_;
  std::array<std::uint64_t, kSlots / 64> used_{};
  std::int64_t size_ = 0;
};

// Requests, lanes and their bytes; what they cost is not counted yet.
AccessTotals counted_request(const WarpRequest& request, int width);

}  // namespace warpscope
