// profiling/access/lane_addresses.cpp: the addresses of a request's lanes: their pattern, order and
// bytes.
#include "profiling/access/lane_addresses.h"

#include <algorithm>
#include <cstdlib>

namespace warpscope {
namespace {

// Bounds inside which the closed forms cannot wrap around.
constexpr std::uint64_t kHighestBase = 1ULL << 62;
constexpr std::int64_t kWidestStride = 1LL << 40;

}  // namespace

LanePattern pattern_of(const WarpRequest& request) {
  LanePattern p;
  const std::uint32_t active = request.active;
  if (active == 0) return p;
  p.first = std::countr_zero(active);
  p.lanes = std::popcount(active);
  p.base = request.addresses[static_cast<std::size_t>(p.first)];
  const std::uint32_t others = active & (active - 1);
  if (others != 0) {
    const int second = std::countr_zero(others), apart = second - p.first;
    const auto step =
        static_cast<std::int64_t>(request.addresses[static_cast<std::size_t>(second)] - p.base);
    if (step % apart != 0) return p;
    p.stride = step / apart;
  }
  std::uint64_t off = 0;  // the bits in which any active lane leaves the line
  std::uint64_t expected =
      p.base - static_cast<std::uint64_t>(p.first) * static_cast<std::uint64_t>(p.stride);
  for (std::size_t lane = 0; lane < warp_lanes; ++lane) {
    const std::uint64_t taken = 0 - static_cast<std::uint64_t>((active >> lane) & 1U);
    off |= (request.addresses[lane] ^ expected) & taken;
    expected += static_cast<std::uint64_t>(p.stride);
  }
  p.contiguous = (active >> p.first) == (p.lanes == warp_lanes ? every_lane : (1U << p.lanes) - 1);
  p.regular =
      off == 0 && p.base < kHighestBase && p.stride > -kWidestStride && p.stride < kWidestStride;
  if (p.regular && p.stride < 0) {
    const std::uint64_t below =
        static_cast<std::uint64_t>(-p.stride) * static_cast<std::uint64_t>(warp_lanes);
    p.regular = p.base >= below;
  }
  return p;
}

bool aligned(const LanePattern& p, int width) {
  return std::has_single_bit(static_cast<unsigned>(width)) &&
         p.base % static_cast<std::uint64_t>(width) == 0 && p.stride % width == 0;
}

std::int64_t regular_bytes(const LanePattern& p, int width) {
  const std::int64_t apart = std::abs(p.stride);
  return (p.lanes - 1) * std::min<std::int64_t>(apart, width) + width;
}

bool all_aligned(const WarpRequest& request, int width) {
  std::uint64_t bits = 0;
  for (std::uint32_t rest = request.active; rest != 0; rest &= rest - 1)
    bits |= request.addresses[static_cast<std::size_t>(std::countr_zero(rest))];
  return width <= sector_bytes && std::has_single_bit(static_cast<unsigned>(width)) &&
         (bits & static_cast<std::uint64_t>(width - 1)) == 0;
}

bool all_at_one_address(const WarpRequest& request) {
  const std::uint64_t first =
      request.addresses[static_cast<std::size_t>(std::countr_zero(request.active) % warp_lanes)];
  for (std::uint32_t rest = request.active; rest != 0; rest &= rest - 1) {
    if (request.addresses[static_cast<std::size_t>(std::countr_zero(rest))] != first) return false;
  }
  return true;
}

std::int64_t distinct_addresses(const WarpRequest& request) {
  LaneSet addresses;
  for (std::uint32_t rest = request.active; rest != 0; rest &= rest - 1)
    addresses.insert(request.addresses[static_cast<std::size_t>(std::countr_zero(rest))]);
  return addresses.size();
}

std::uint64_t last_byte(std::uint64_t address, int width) {
  const std::uint64_t last = address + static_cast<std::uint64_t>(width - 1);
  return last < address ? ~0ULL : last;
}

SortedBytes sorted_bytes(const WarpRequest& request, int width, std::uint32_t lanes) {
  SortedBytes s;
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const std::uint64_t a = request.addresses[static_cast<std::size_t>(std::countr_zero(rest))];
    s.intervals[static_cast<std::size_t>(s.count++)] = {a, last_byte(a, width)};
  }
  std::sort(s.intervals.begin(), s.intervals.begin() + s.count,
            [](const ByteInterval& a, const ByteInterval& b) { return a.low < b.low; });
  return s;
}

std::int64_t distinct_bytes(const SortedBytes& s) {
  std::int64_t bytes = 0;
  std::uint64_t next = 0;  // the first byte not yet counted
  for (int i = 0; i < s.count; ++i) {
    const ByteInterval& part = s.intervals[static_cast<std::size_t>(i)];
    const std::uint64_t low = i == 0 ? part.low : std::max(part.low, next);
    if (low <= part.high) bytes += static_cast<std::int64_t>(part.high - low) + 1;
    next = part.high + 1;
    if (next == 0) break;
  }
  return bytes;
}

AccessTotals counted_request(const WarpRequest& request, int width) {
  AccessTotals t;
  t.requests = request.active != 0 ? 1 : 0;
  t.lanes = std::popcount(request.active);
  t.lane_bytes = t.lanes * width;
  return t;
}

}  // namespace warpscope
