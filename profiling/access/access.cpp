// profiling/access/access.cpp: what warp requests to global memory cost by the rules measured on an
// H200.
#include "profiling/access/access.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "profiling/access/lane_addresses.h"
#include "scenes/host/enumerators.h"

namespace warpscope {
namespace {

bool is_atomic(AccessKind kind) {
  return kind == AccessKind::reduction || kind == AccessKind::atomic;
}

// Sectors of an atomic: lanes on one address are served one after another, and each pass touches
// the sectors of the addresses that still have a lane. So a sector counts as often as the most
// lanes that share one of its addresses.
std::int64_t atomic_sectors(const SortedLanes& lanes, int width) {
  constexpr auto kSector = static_cast<std::uint64_t>(kSectorBytes);
  struct Sector {
    std::uint64_t index = 0;
    std::int64_t passes = 0;
  };
  std::array<Sector, std::size_t{2} * kWarpLanes> sectors;  // by rising index
  std::size_t used = 0;
  for (int i = 0; i < lanes.count;) {
    const std::uint64_t address = lanes.address[static_cast<std::size_t>(i)];
    int end = i;
    while (end < lanes.count && lanes.address[static_cast<std::size_t>(end)] == address) ++end;
    const std::uint64_t last = last_byte(address, width) / kSector;
    for (std::uint64_t index = address / kSector; index <= last; ++index) {
      std::size_t at = used;
      while (at > 0 && sectors[at - 1].index > index) --at;
      if (at == 0 || sectors[at - 1].index != index)
        sectors[used++] = {index, end - i};
      else
        sectors[at - 1].passes = std::max<std::int64_t>(sectors[at - 1].passes, end - i);
    }
    i = end;
  }
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < used; ++i) sum += sectors[i].passes;
  return sum;
}

}  // namespace

const char* to_text(Space space) { return named(space, {"global", "shared", "local", "constant"}); }

const char* to_text(AccessKind kind) {
  return named(kind, {"load", "store", "atomic", "reduction", "async copy", "matrix load",
                      "matrix store", "bulk copy", "bulk store", "bulk reduction", "product read"});
}

bool is_bulk(AccessKind kind) {
  return kind == AccessKind::bulk_copy || kind == AccessKind::bulk_store ||
         kind == AccessKind::bulk_reduction;
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
             : static_cast<double>(unique_bytes) / static_cast<double>(kSectorBytes * sectors);
}

double AccessTotals::sectors_per_request() const {
  return requests == 0 ? 0.0 : static_cast<double>(sectors) / static_cast<double>(requests);
}

void add_global(AccessTotals& t, LaneAddresses addresses, std::uint32_t active, int width_bytes,
                AccessKind kind) {
  if (active == 0) return;
  const SortedLanes lanes = sorted_lanes(addresses, active);
  const Touched all = touched(lanes, width_bytes);
  const std::int64_t lane_bytes = std::int64_t{width_bytes} * lanes.count;
  t.requests += 1;
  t.lanes += lanes.count;
  t.lane_bytes += lane_bytes;
  t.unique_bytes += all.bytes;
  const bool in_passes = is_atomic(kind) && all.bytes < lane_bytes;
  t.sectors += in_passes ? atomic_sectors(lanes, width_bytes) : all.sectors;
  t.ideal_sectors += (all.bytes + kSectorBytes - 1) / kSectorBytes;
  t.lines += all.lines;
}

AccessTotals global_cost(const WarpRequest& request, int width_bytes, AccessKind kind) {
  AccessTotals t;
  if (request.active != 0 && is_bulk(kind)) {
    t.requests = t.lanes = std::popcount(request.active);
    t.lane_bytes = t.unique_bytes = request.bulk.bytes;
    t.sectors = request.bulk.sectors;
    t.ideal_sectors = (t.unique_bytes + kSectorBytes - 1) / kSectorBytes;
    t.lines = request.bulk.lines;
  } else {
    add_global(t, request.addresses, request.active, width_bytes, kind);
  }
  return t;
}

std::int64_t copied_sectors(LaneAddresses from, LaneAddresses to, std::uint32_t lanes) {
  std::array<std::pair<std::uint64_t, std::uint64_t>, kWarpLanes> pieces;
  auto end = pieces.begin();
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
    *end++ = {to[lane] / kSectorBytes, from[lane] / kLineBytes};
  }
  std::sort(pieces.begin(), end);
  return std::unique(pieces.begin(), end) - pieces.begin();
}

int TouchedLine::used_bytes() const {
  int bytes = 0;
  for (const std::uint8_t word : word_bytes) bytes += std::popcount(static_cast<unsigned>(word));
  return bytes;
}

std::vector<TouchedLine> touched_lines(const WarpRequest& request, int width_bytes) {
  std::vector<TouchedLine> lines;
  constexpr auto kLine = static_cast<std::uint64_t>(kLineBytes);
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
