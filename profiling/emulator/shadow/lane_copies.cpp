// profiling/emulator/shadow/lane_copies.cpp: groups of cp.async copies, and who has waited for
// them.
#include "profiling/emulator/shadow/lane_copies.h"

#include <algorithm>

namespace warpscope {
namespace {

// Groups that end in an arrival at an mbarrier are none that wait_group counts.
std::int64_t before_groups(std::uint32_t committed, std::int64_t groups_left,
                           const std::vector<LaneCopies::Arrival>& arrivals) {
  std::int64_t done = committed;
  auto arrival = arrivals.rbegin();
  while (groups_left > 0 && done > 0) {
    --done;
    if (arrival != arrivals.rend() && arrival->group == done) {
      ++arrival;
    } else {
      --groups_left;
    }
  }
  return done;
}

}  // namespace

void LaneCopies::begin_block(int warps) {
  warps_ = warps;
  for (int w = 0; w < warps; ++w) {
    committed_[w].fill(0);
    completed_[w].fill(0);
    for (std::vector<GroupWait>& waits : waits_[w]) waits.clear();
  }
  arrivals_.clear();
}

void LaneCopies::commit(int warp, std::uint32_t lanes) {
  for (; lanes != 0; lanes &= lanes - 1) ++committed_[warp][__builtin_ctz(lanes)];
}

void LaneCopies::wait(const VectorClocks& clocks, int warp, std::uint32_t lanes, std::uint32_t sync,
                      std::int64_t groups_left) {
  for (; lanes != 0; lanes &= lanes - 1) {
    const int lane = __builtin_ctz(lanes);
    if (groups_left < 0) ++committed_[warp][lane];  // wait_all takes the uncommitted ones too
    std::int64_t done =
        std::int64_t{committed_[warp][lane]} - std::max<std::int64_t>(groups_left, 0);
    const auto at = static_cast<std::size_t>(warp << 5 | lane);
    if (!arrivals_.empty() && !arrivals_[at].empty()) {
      done = before_groups(committed_[warp][lane], groups_left, arrivals_[at]);
    }
    if (done <= completed_[warp][lane]) continue;
    completed_[warp][lane] = static_cast<std::uint32_t>(done);
    waits_[warp][lane].push_back({completed_[warp][lane], clocks.now(warp), sync});
  }
}

void LaneCopies::end_copies(int warp, int lane, int barrier, std::uint32_t phase) {
  if (arrivals_.empty()) arrivals_.resize(static_cast<std::size_t>(warps_) * 32);
  arrivals_[static_cast<std::size_t>(warp << 5 | lane)].push_back(
      {committed_[warp][lane]++, barrier, phase});
}

bool LaneCopies::is_seen(const VectorClocks& clocks, const ShadowRecord& r, int warp) const {
  if (arrivals_.empty()) return false;
  const std::vector<Arrival>& list = arrivals_[r.copy_lane];
  auto at = std::lower_bound(list.begin(), list.end(), r.copy_group,
                             [](const Arrival& a, std::uint32_t group) { return a.group < group; });
  for (; at != list.end(); ++at) {
    if (clocks.has_seen(warp, static_cast<std::size_t>(at->barrier), at->phase)) return true;
  }
  return false;
}

const GroupWait* LaneCopies::wait_for(const ShadowRecord& r) const {
  const std::vector<GroupWait>& waits = waits_[r.copy_lane >> 5][r.copy_lane & 31];
  const auto at = std::partition_point(
      waits.begin(), waits.end(), [&](const GroupWait& w) { return w.groups <= r.copy_group; });
  return at == waits.end() ? nullptr : &*at;
}

}  // namespace warpscope
