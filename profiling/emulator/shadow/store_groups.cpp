// profiling/emulator/shadow/store_groups.cpp: groups of bulk copies out of shared memory, and who
// has waited for them.
#include "profiling/emulator/shadow/store_groups.h"

#include <algorithm>

namespace warpscope {

void StoreGroups::commit(int warp, std::uint32_t lanes) {
  for (; lanes != 0; lanes &= lanes - 1) {
    Stores& s = stores_[warp << 5 | __builtin_ctz(lanes)];
    ++s.committed;
    s.open = false;
  }
}

void StoreGroups::wait(const VectorClocks& clocks, int warp, std::uint32_t lanes,
                       std::int64_t groups_left) {
  for (; lanes != 0; lanes &= lanes - 1) {
    Stores& s = stores_[warp << 5 | __builtin_ctz(lanes)];
    if (s.committed <= groups_left) continue;
    const auto waited = static_cast<std::uint32_t>(s.committed - groups_left);
    if (waited <= s.waited) continue;
    s.waited = waited;
    s.waits.push_back({waited, clocks.now(warp), 0});
  }
}

std::uint32_t StoreGroups::pending(int warp, std::uint32_t lanes) const {
  std::uint32_t found = 0;
  if (stores_.empty()) return found;
  for (; lanes != 0; lanes &= lanes - 1) {
    const int lane = __builtin_ctz(lanes);
    const auto s = stores_.find(warp << 5 | lane);
    if (s == stores_.end()) continue;
    if (s->second.open || s->second.waited < s->second.committed) found |= 1u << lane;
  }
  return found;
}

bool StoreGroups::is_read(const VectorClocks& clocks, const ShadowRecord& r, int warp) const {
  const auto found = stores_.find(r.copy_lane);
  if (found == stores_.end() || r.copy_group >= found->second.waited) return false;
  const std::vector<GroupWait>& waits = found->second.waits;
  const auto wait = std::partition_point(
      waits.begin(), waits.end(), [&](const GroupWait& w) { return w.groups <= r.copy_group; });
  if (wait == waits.end()) return false;
  // In the warp that waited, the wait is as good as __syncwarp: its lanes seldom part there.
  const int reader = r.copy_lane >> 5;
  return reader == warp || clocks.known(warp, reader) >= wait->clock;
}

}  // namespace warpscope
