// profiling/emulator/memory/cost.cpp: closed forms of what usual requests cost.
#include "profiling/emulator/memory/cost.h"

#include <algorithm>

namespace warpscope {

void add_contiguous_global(AccessTotals& t, std::uint64_t first, int width) {
  const std::int64_t bytes = std::int64_t{width} * kWarpLanes;
  const std::uint64_t last = first + static_cast<std::uint64_t>(bytes) - 1;
  t.requests += 1;
  t.lanes += kWarpLanes;
  t.lane_bytes += bytes;
  t.unique_bytes += bytes;
  t.sectors += static_cast<std::int64_t>(last / kSectorBytes - first / kSectorBytes) + 1;
  t.ideal_sectors += (bytes + kSectorBytes - 1) / kSectorBytes;
  t.lines += static_cast<std::int64_t>(last / kLineBytes - first / kLineBytes) + 1;
}

void add_broadcast_global(AccessTotals& t, int width) {
  t.requests += 1;
  t.lanes += kWarpLanes;
  t.lane_bytes += std::int64_t{width} * kWarpLanes;
  t.unique_bytes += width;
  t.sectors += 1;
  t.ideal_sectors += (width + kSectorBytes - 1) / kSectorBytes;
  t.lines += 1;
}

void add_contiguous_shared(AccessTotals& t, std::uint64_t, int width) {
  const std::int64_t bytes = std::int64_t{width} * kWarpLanes;
  const std::int64_t groups = width <= 4 ? 1 : width / 4;
  t.requests += 1;
  t.lanes += kWarpLanes;
  t.lane_bytes += bytes;
  t.unique_bytes += bytes;
  t.wavefronts += groups;
  t.ideal_wavefronts += groups;
  t.worst_ways = std::max<std::int64_t>(t.worst_ways, 1);
}

}  // namespace warpscope
