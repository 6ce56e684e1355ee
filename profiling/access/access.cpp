// profiling/access/access.cpp: what warp requests to global memory cost by the rules measured on an
// H200.
#include "profiling/access/access.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>

#include "profiling/access/lane_addresses.h"

namespace warpscope {
namespace {

// Distinct values of `unit`-byte blocks in [low, high].
std::int64_t blocks(std::uint64_t low, std::uint64_t high, std::int64_t unit) {
  const auto u = static_cast<std::uint64_t>(unit);
  return static_cast<std::int64_t>(high / u - low / u + 1);
}

// Distinct blocks of `unit` bytes that the intervals touch.
std::int64_t distinct_blocks(const SortedBytes& s, std::int64_t unit) {
  const auto u = static_cast<std::uint64_t>(unit);
  std::int64_t count = 0;
  std::uint64_t next = 0;  // the first block not yet counted
  for (int i = 0; i < s.count; ++i) {
    const ByteInterval& part = s.intervals[static_cast<std::size_t>(i)];
    const std::uint64_t low = std::max(part.low / u, next), high = part.high / u;
    if (low <= high) count += static_cast<std::int64_t>(high - low) + 1;
    next = std::max(next, high + 1);
  }
  return count;
}

bool is_atomic(AccessKind kind) {
  return kind == AccessKind::reduction || kind == AccessKind::atomic;
}

// Sectors of an atomic: lanes on one address are served one after another, and each pass touches
// the sectors of the addresses that still have a lane. So a sector counts as often as the most
// lanes that share one of its addresses.
std::int64_t atomic_sectors(const SortedBytes& s) {
  constexpr auto kSector = static_cast<std::uint64_t>(sector_bytes);
  struct Count {
    std::uint64_t sector = 0;
    std::int64_t passes = 0;
  };
  std::array<Count, 2 * warp_lanes> counts;
  std::size_t used = 0;
  for (int i = 0; i < s.count;) {
    const ByteInterval& part = s.intervals[static_cast<std::size_t>(i)];
    int end = i;
    while (end < s.count && s.intervals[static_cast<std::size_t>(end)].low == part.low) ++end;
    for (std::uint64_t sector = part.low / kSector; sector <= part.high / kSector; ++sector) {
      std::size_t at = used;
      while (at > 0 && counts[at - 1].sector > sector) --at;
      if (at > 0 && counts[at - 1].sector == sector) {
        counts[at - 1].passes = std::max<std::int64_t>(counts[at - 1].passes, end - i);
      } else {
        std::copy_backward(counts.begin() + static_cast<std::ptrdiff_t>(at),
                           counts.begin() + static_cast<std::ptrdiff_t>(used),
                           counts.begin() + static_cast<std::ptrdiff_t>(used) + 1);
        counts[at] = {sector, end - i};
        ++used;
      }
    }
    i = end;
  }
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < used; ++i) sum += counts[i].passes;
  return sum;
}

// Aligned lanes in any order, without sorting. Needs all_aligned.
void count_aligned_global(const WarpRequest& request, int width, AccessTotals& t) {
  LaneSet addresses, sectors, lines;
  for (std::uint32_t rest = request.active; rest != 0; rest &= rest - 1) {
    const std::uint64_t a = request.addresses[static_cast<std::size_t>(std::countr_zero(rest))];
    if (!addresses.insert(a)) continue;
    sectors.insert(a / static_cast<std::uint64_t>(sector_bytes));
    lines.insert(a / static_cast<std::uint64_t>(line_bytes));
  }
  t.unique_bytes = addresses.size() * width;
  t.sectors = sectors.size();
  t.lines = lines.size();
}

// Fills sectors, lines and bytes where a closed form holds. Needs a regular pattern.
bool global_by_formula(const LanePattern& p, int width, AccessKind kind, AccessTotals& t) {
  const std::int64_t apart = std::abs(p.stride);
  const bool one_address = apart == 0 || p.lanes == 1;
  if (!one_address && !p.contiguous) return false;
  const std::int64_t reach = one_address ? 0 : apart * (p.lanes - 1);
  const std::uint64_t low =
      p.stride < 0 && !one_address ? p.base - static_cast<std::uint64_t>(reach) : p.base;
  const std::uint64_t high =
      low + static_cast<std::uint64_t>(reach) + static_cast<std::uint64_t>(width - 1);
  if (apart > width && !one_address) {
    // Lanes with gaps between: each in one sector when aligned.
    if (!aligned(p, width)) return false;
    const std::uint64_t first_of_last = low + static_cast<std::uint64_t>(reach);
    t.sectors = apart >= sector_bytes ? p.lanes : blocks(low, first_of_last, sector_bytes);
    t.lines = apart >= line_bytes ? p.lanes : blocks(low, first_of_last, line_bytes);
    t.unique_bytes = p.lanes * static_cast<std::int64_t>(width);
    return true;
  }
  t.unique_bytes = one_address ? width : regular_bytes(p, width);
  t.sectors = blocks(low, high, sector_bytes);
  t.lines = blocks(low, high, line_bytes);
  if (is_atomic(kind) && one_address) t.sectors *= p.lanes;
  return true;
}

}  // namespace

const char* to_text(Space space) {
  constexpr const char* kNames[] = {"global", "shared", "local", "constant"};
  return kNames[static_cast<std::size_t>(space)];
}

const char* to_text(AccessKind kind) {
  constexpr const char* kNames[] = {"load",       "store",       "atomic",       "reduction",
                                    "async copy", "matrix load", "matrix store", "bulk copy"};
  return kNames[static_cast<std::size_t>(kind)];
}

AccessTotals& AccessTotals::operator+=(const AccessTotals& other) {
  requests += other.requests;
  lanes += other.lanes;
  lane_bytes += other.lane_bytes;
  unique_bytes += other.unique_bytes;
  sectors += other.sectors;
  ideal_sectors += other.ideal_sectors;
  lines += other.lines;
  wavefronts += other.wavefronts;
  ideal_wavefronts += other.ideal_wavefronts;
  worst_ways = std::max(worst_ways, other.worst_ways);
  return *this;
}

double AccessTotals::sector_efficiency() const {
  return sectors == 0
             ? 1.0
             : static_cast<double>(unique_bytes) / static_cast<double>(sector_bytes * sectors);
}

double AccessTotals::sectors_per_request() const {
  return requests == 0 ? 0.0 : static_cast<double>(sectors) / static_cast<double>(requests);
}

AccessTotals global_cost(const WarpRequest& request, int width_bytes, AccessKind kind) {
  AccessTotals t = counted_request(request, width_bytes);
  if (request.active == 0) return t;
  const LanePattern pattern = pattern_of(request);
  if (kind == AccessKind::bulk_copy) {
    t.requests = t.lanes;
    t.lane_bytes = t.unique_bytes = request.bulk.bytes;
    t.sectors = request.bulk.sectors;
    t.lines = request.bulk.lines;
  } else if (pattern.regular && global_by_formula(pattern, width_bytes, kind, t)) {
    // Counted.
  } else if (!is_atomic(kind) && all_aligned(request, width_bytes)) {
    count_aligned_global(request, width_bytes, t);
  } else {
    const SortedBytes s = sorted_bytes(request, width_bytes, request.active);
    t.unique_bytes = distinct_bytes(s);
    t.sectors = is_atomic(kind) ? atomic_sectors(s) : distinct_blocks(s, sector_bytes);
    t.lines = distinct_blocks(s, line_bytes);
  }
  t.ideal_sectors = (t.unique_bytes + sector_bytes - 1) / sector_bytes;
  return t;
}

int TouchedLine::used_bytes() const {
  int bytes = 0;
  for (const std::uint8_t word : word_bytes) bytes += std::popcount(static_cast<unsigned>(word));
  return bytes;
}

std::vector<TouchedLine> touched_lines(const WarpRequest& request, int width_bytes) {
  std::vector<TouchedLine> lines;
  constexpr auto kLine = static_cast<std::uint64_t>(line_bytes);
  for (std::uint32_t rest = request.active; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::uint64_t first = request.addresses[static_cast<std::size_t>(lane)];
    const std::uint64_t bytes = last_byte(first, width_bytes) - first + 1;
    for (std::uint64_t i = 0; i < bytes; ++i) {
      const std::uint64_t byte = first + i, address = byte / kLine * kLine;
      auto at = std::lower_bound(
          lines.begin(), lines.end(), address,
          [](const TouchedLine& line, std::uint64_t value) { return line.address < value; });
      if (at == lines.end() || at->address != address) {
        at = lines.insert(at, TouchedLine{});
        at->address = address;
      }
      const auto word = static_cast<std::size_t>(byte % kLine / 4);
      at->word_lanes[word] |= 1U << lane;
      at->word_bytes[word] = static_cast<std::uint8_t>(at->word_bytes[word] | 1U << byte % 4);
      at->sectors = static_cast<std::uint8_t>(at->sectors | 1U << word / 8);
    }
  }
  return lines;
}

}  // namespace warpscope
