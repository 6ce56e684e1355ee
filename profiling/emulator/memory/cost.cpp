// profiling/emulator/memory/cost.cpp: what requests cost, added up as the emulator meets them.
#include "profiling/emulator/memory/cost.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace warpscope {
namespace {

constexpr int most_group_words = 64;  // sixteen lanes of 16 bytes

struct Lanes {
  std::array<std::uint64_t, warp_lanes> address;
  int count = 0;
};

Lanes active_lanes(const std::uint64_t* addresses, std::uint32_t mask) {
  Lanes lanes;
  if (mask == 0xffffffffu) {
    std::copy_n(addresses, warp_lanes, lanes.address.begin());
    lanes.count = warp_lanes;
  } else {
    for (; mask != 0; mask &= mask - 1) {
      lanes.address[static_cast<std::size_t>(lanes.count++)] = addresses[std::countr_zero(mask)];
    }
  }
  return lanes;
}

// An atomic in which lanes share addresses goes in passes, each lane of an address in another:
// the sectors of all passes.
std::int64_t atomic_sectors(const Lanes& sorted) {
  std::array<std::array<std::uint64_t, 2>, warp_lanes> seen;  // sector, pass
  std::int64_t distinct = 0;
  std::uint64_t pass = 0;
  for (int k = 0; k < sorted.count; ++k) {
    const std::uint64_t here = sorted.address[k];
    pass = k > 0 && here == sorted.address[k - 1] ? pass + 1 : 0;
    const std::array<std::uint64_t, 2> key = {here / sector_bytes, pass};
    if (std::find(seen.begin(), seen.begin() + distinct, key) == seen.begin() + distinct) {
      seen[static_cast<std::size_t>(distinct++)] = key;
    }
  }
  return distinct;
}

// Wavefronts of lanes that go through the banks together: the most distinct words in one bank.
int bank_wavefronts(const std::uint64_t* word, int count) {
  std::array<std::int8_t, shared_banks> last;  // index of the last distinct word of a bank
  std::array<std::uint8_t, shared_banks> ways{};
  std::array<std::int8_t, most_group_words> previous;
  last.fill(-1);
  int most = 0;
  for (int k = 0; k < count; ++k) {
    const auto bank = static_cast<std::size_t>(word[k] % shared_banks);
    int seen = last[bank];
    while (seen >= 0 && word[seen] != word[k]) seen = previous[static_cast<std::size_t>(seen)];
    if (seen >= 0) continue;
    previous[static_cast<std::size_t>(k)] = last[bank];
    last[bank] = static_cast<std::int8_t>(k);
    most = std::max<int>(most, ++ways[bank]);
  }
  return most;
}

// 16-byte requests in which every active lane shares its address with its neighbour at distance 1,
// or at distance 2, or all share one, go by half-warps (measured on an H200).
bool shares_with_neighbour(const std::uint64_t* addresses, std::uint32_t mask) {
  bool one = true, two = true;
  for (int lane = 0; lane < warp_lanes; ++lane) {
    if ((mask >> lane & 1) == 0) continue;
    one = one && (mask >> (lane ^ 1) & 1) != 0 && addresses[lane] == addresses[lane ^ 1];
    two = two && (mask >> (lane ^ 2) & 1) != 0 && addresses[lane] == addresses[lane ^ 2];
  }
  if (one || two) return true;
  const std::uint64_t first = addresses[std::countr_zero(mask)];
  for (int lane = 0; lane < warp_lanes; ++lane) {
    if ((mask >> lane & 1) != 0 && addresses[lane] != first) return false;
  }
  return true;
}

}  // namespace

void add_contiguous_global(AccessTotals& t, std::uint64_t first, int width) {
  const std::int64_t bytes = std::int64_t{width} * warp_lanes;
  const std::uint64_t last = first + static_cast<std::uint64_t>(bytes) - 1;
  t.requests += 1;
  t.lanes += warp_lanes;
  t.lane_bytes += bytes;
  t.unique_bytes += bytes;
  t.sectors += static_cast<std::int64_t>(last / sector_bytes - first / sector_bytes) + 1;
  t.ideal_sectors += (bytes + sector_bytes - 1) / sector_bytes;
  t.lines += static_cast<std::int64_t>(last / line_bytes - first / line_bytes) + 1;
}

void add_broadcast_global(AccessTotals& t, int width) {
  t.requests += 1;
  t.lanes += warp_lanes;
  t.lane_bytes += std::int64_t{width} * warp_lanes;
  t.unique_bytes += width;
  t.sectors += 1;
  t.ideal_sectors += (width + sector_bytes - 1) / sector_bytes;
  t.lines += 1;
}

void add_contiguous_shared(AccessTotals& t, std::uint64_t, int width) {
  const std::int64_t bytes = std::int64_t{width} * warp_lanes;
  const std::int64_t groups = width <= 4 ? 1 : width / 4;
  t.requests += 1;
  t.lanes += warp_lanes;
  t.lane_bytes += bytes;
  t.unique_bytes += bytes;
  t.wavefronts += groups;
  t.ideal_wavefronts += groups;
  t.worst_ways = std::max<std::int64_t>(t.worst_ways, 1);
}

void add_global(AccessTotals& t, const std::uint64_t* addresses, std::uint32_t mask, int width,
                AccessKind kind) {
  Lanes lanes = active_lanes(addresses, mask);
  if (lanes.count == 0) return;
  const auto begin = lanes.address.begin(), end = begin + lanes.count;
  if (!std::is_sorted(begin, end)) std::sort(begin, end);
  std::int64_t distinct = 1, sectors = 1, lines = 1;
  for (int k = 1; k < lanes.count; ++k) {
    const std::uint64_t before = lanes.address[k - 1], here = lanes.address[k];
    distinct += before != here;
    sectors += before / sector_bytes != here / sector_bytes;
    lines += before / line_bytes != here / line_bytes;
  }
  t.requests += 1;
  t.lanes += lanes.count;
  t.lane_bytes += std::int64_t{width} * lanes.count;
  const std::int64_t unique = distinct * width;
  t.unique_bytes += unique;
  t.ideal_sectors += (unique + sector_bytes - 1) / sector_bytes;
  t.lines += lines;
  const bool atomic = kind == AccessKind::reduction || kind == AccessKind::atomic;
  t.sectors += atomic && distinct < lanes.count ? atomic_sectors(lanes) : sectors;
}

void add_shared(AccessTotals& t, const std::uint64_t* addresses, std::uint32_t mask, int width,
                AccessKind kind) {
  Lanes lanes = active_lanes(addresses, mask);
  if (lanes.count == 0) return;
  t.requests += 1;
  t.lanes += lanes.count;
  t.lane_bytes += std::int64_t{width} * lanes.count;
  const int words = std::max(width / 4, 1);  // of a lane
  const bool matrix = kind == AccessKind::matrix_load || kind == AccessKind::matrix_store;
  const bool paired = width == 16 && !matrix && shares_with_neighbour(addresses, mask);
  const int group_lanes = warp_lanes / words * (paired ? 2 : 1);
  for (int first = 0; first < warp_lanes; first += group_lanes) {
    std::array<std::uint64_t, most_group_words> word;
    int count = 0;
    for (int lane = first; lane < first + group_lanes; ++lane) {
      if ((mask >> lane & 1) == 0) continue;
      for (int k = 0; k < words; ++k) {
        word[static_cast<std::size_t>(count++)] =
            addresses[lane] / bank_bytes + static_cast<std::uint64_t>(k);
      }
    }
    const std::int64_t wavefronts = bank_wavefronts(word.data(), count);
    t.wavefronts += wavefronts;
    t.ideal_wavefronts += wavefronts > 0 ? 1 : 0;
    t.worst_ways = std::max(t.worst_ways, wavefronts);
  }
  const auto begin = lanes.address.begin(), end = begin + lanes.count;
  if (!std::is_sorted(begin, end)) std::sort(begin, end);
  t.unique_bytes += (std::unique(begin, end) - begin) * width;
}

std::int64_t copied_sectors(const std::uint64_t* from, const std::uint64_t* to,
                            std::uint32_t lanes) {
  std::array<std::pair<std::uint64_t, std::uint64_t>, warp_lanes> pieces;
  auto end = pieces.begin();
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    *end++ = {to[lane] / sector_bytes, from[lane] / line_bytes};
  }
  std::sort(pieces.begin(), end);
  return std::unique(pieces.begin(), end) - pieces.begin();
}

std::int64_t distinct_sectors(const std::uint64_t* addresses, std::uint32_t lanes) {
  std::array<std::uint64_t, warp_lanes> sectors;
  auto end = sectors.begin();
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1)
    *end++ = addresses[std::countr_zero(rest)] / sector_bytes;
  std::sort(sectors.begin(), end);
  return std::unique(sectors.begin(), end) - sectors.begin();
}

}  // namespace warpscope
