// profiling/emulator/memory/shadow_clocks.cpp: who comes after whom in a block: by barriers,
// fences, waits for copies, and mbarriers.
#include <algorithm>

#include "profiling/emulator/state/shadow.h"

namespace warpscope {

void SharedShadow::barrier(std::uint32_t arrived, std::uint32_t released) {
  std::array<std::uint32_t, most_warps> all{};
  for (std::uint32_t rest = arrived | released; rest != 0; rest &= rest - 1) {
    const auto& known = known_[__builtin_ctz(rest)];
    for (int v = 0; v < warps_; ++v) all[v] = std::max(all[v], known[v]);
  }
  for (std::uint32_t rest = released; rest != 0; rest &= rest - 1) {
    known_[__builtin_ctz(rest)] = all;
  }
  for (auto& seen : seen_) {
    std::uint32_t most = 0;
    for (std::uint32_t rest = arrived | released; rest != 0; rest &= rest - 1) {
      most = std::max(most, seen[__builtin_ctz(rest)]);
    }
    for (std::uint32_t rest = released; rest != 0; rest &= rest - 1) {
      seen[__builtin_ctz(rest)] = most;
    }
  }
  for (std::uint32_t rest = arrived | released; rest != 0; rest &= rest - 1) {
    const int w = __builtin_ctz(rest);
    ++known_[w][w];
  }
}

void SharedShadow::fence(int warp) {
  for (int v = 0; v < warps_; ++v) {
    known_[warp][v] = std::max(known_[warp][v], fenced_[v]);
    fenced_[v] = known_[warp][v];
  }
  for (std::size_t b = 0; b < seen_.size(); ++b) {
    seen_[b][warp] = fenced_seen_[b] = std::max(seen_[b][warp], fenced_seen_[b]);
  }
  ++known_[warp][warp];
}

void SharedShadow::learn_from_fences(int warp) {
  for (int v = 0; v < warps_; ++v) known_[warp][v] = std::max(known_[warp][v], fenced_[v]);
}

void SharedShadow::commit(int warp, std::uint32_t lanes) {
  for (; lanes != 0; lanes &= lanes - 1) ++committed_[warp][__builtin_ctz(lanes)];
}
// Groups that end in an arrival at an mbarrier are none that wait_group counts.
std::int64_t SharedShadow::before_groups(std::uint32_t committed, std::int64_t groups_left,
                                         const std::vector<Arrival>& arrivals) {
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

void SharedShadow::wait(int warp, std::uint32_t lanes, std::uint32_t sync,
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
    waits_[warp][lane].push_back({completed_[warp][lane], known_[warp][warp], sync});
  }
}

void SharedShadow::add_barrier(int barrier) {
  const auto count = std::max(seen_.size(), static_cast<std::size_t>(barrier) + 1);
  clocks_.resize(count);
  seen_.resize(count);
  fenced_seen_.resize(count);
}

void SharedShadow::arrive(int warp, int barrier) {
  BarrierClock& clock = clocks_[static_cast<std::size_t>(barrier)];
  for (int v = 0; v < warps_; ++v) {
    clock.arrived[v] = std::max(clock.arrived[v], known_[warp][v]);
  }
  clock.arrived_seen.resize(seen_.size());
  for (std::size_t b = 0; b < seen_.size(); ++b) {
    clock.arrived_seen[b] = std::max(clock.arrived_seen[b], seen_[b][warp]);
  }
}
void SharedShadow::advance(int warp) { ++known_[warp][warp]; }

void SharedShadow::end_phase(int barrier, std::uint32_t phases_over) {
  BarrierClock& clock = clocks_[static_cast<std::size_t>(barrier)];
  clock.arrived_seen.resize(seen_.size());
  clock.ended = clock.arrived;
  clock.ended_seen = clock.arrived_seen;
  clock.ended_seen[static_cast<std::size_t>(barrier)] = phases_over;
}

void SharedShadow::acquire(int warp, int barrier) {
  const BarrierClock& clock = clocks_[static_cast<std::size_t>(barrier)];
  for (int v = 0; v < warps_; ++v) {
    known_[warp][v] = std::max(known_[warp][v], clock.ended[v]);
  }
  for (std::size_t b = 0; b < clock.ended_seen.size(); ++b) {
    seen_[b][warp] = std::max(seen_[b][warp], clock.ended_seen[b]);
  }
}

void SharedShadow::end_copies(int warp, int lane, int barrier, std::uint32_t phase) {
  if (arrivals_.empty()) arrivals_.resize(static_cast<std::size_t>(warps_) * 32);
  arrivals_[static_cast<std::size_t>(warp << 5 | lane)].push_back(
      {committed_[warp][lane]++, barrier, phase});
}

bool SharedShadow::is_seen_through_barrier(const Record& r, int warp) const {
  if (arrivals_.empty()) return false;
  const std::vector<Arrival>& list = arrivals_[r.copy_lane];
  auto at = std::lower_bound(list.begin(), list.end(), r.copy_group,
                             [](const Arrival& a, std::uint32_t group) { return a.group < group; });
  for (; at != list.end(); ++at) {
    if (seen_[static_cast<std::size_t>(at->barrier)][warp] > at->phase) return true;
  }
  return false;
}

}  // namespace warpscope
