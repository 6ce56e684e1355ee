// profiling/emulator/shadow/vector_clocks.cpp: what each warp of a block knows of the others: by
// barriers, fences and mbarriers.
#include "profiling/emulator/shadow/vector_clocks.h"

#include <algorithm>

namespace warpscope {

void VectorClocks::begin_block(int warps) {
  warps_ = warps;
  for (int w = 0; w < warps; ++w) {
    known_[w].fill(0);
    known_[w][w] = 1;
  }
  fenced_.fill(0);
  proxied_.fill(0);
  clocks_.clear();
  seen_.clear();
  fenced_seen_.clear();
}

void VectorClocks::barrier(std::uint32_t arrived, std::uint32_t released) {
  Times all{};
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

void VectorClocks::fence(int warp) {
  for (int v = 0; v < warps_; ++v) {
    known_[warp][v] = std::max(known_[warp][v], fenced_[v]);
    fenced_[v] = known_[warp][v];
  }
  for (std::size_t b = 0; b < seen_.size(); ++b) {
    seen_[b][warp] = fenced_seen_[b] = std::max(seen_[b][warp], fenced_seen_[b]);
  }
  ++known_[warp][warp];
}

void VectorClocks::learn_from_fences(int warp) {
  for (int v = 0; v < warps_; ++v) known_[warp][v] = std::max(known_[warp][v], fenced_[v]);
}

void VectorClocks::fence_proxy(int warp) {
  for (int v = 0; v < warps_; ++v) proxied_[v] = std::max(proxied_[v], known_[warp][v]);
  ++known_[warp][warp];  // what it writes from here on is not in it
}

void VectorClocks::add_barrier(int barrier) {
  const auto count = std::max(seen_.size(), static_cast<std::size_t>(barrier) + 1);
  clocks_.resize(count);
  seen_.resize(count);
  fenced_seen_.resize(count);
}

void VectorClocks::arrive(int warp, int barrier) {
  BarrierClock& clock = clocks_[static_cast<std::size_t>(barrier)];
  for (int v = 0; v < warps_; ++v) {
    clock.arrived[v] = std::max(clock.arrived[v], known_[warp][v]);
  }
  clock.arrived_seen.resize(seen_.size());
  for (std::size_t b = 0; b < seen_.size(); ++b) {
    clock.arrived_seen[b] = std::max(clock.arrived_seen[b], seen_[b][warp]);
  }
}

void VectorClocks::advance(int warp) { ++known_[warp][warp]; }

void VectorClocks::end_phase(int barrier, std::uint32_t phases_over) {
  BarrierClock& clock = clocks_[static_cast<std::size_t>(barrier)];
  clock.arrived_seen.resize(seen_.size());
  clock.ended = clock.arrived;
  clock.ended_seen = clock.arrived_seen;
  clock.ended_seen[static_cast<std::size_t>(barrier)] = phases_over;
}

void VectorClocks::acquire(int warp, int barrier) {
  const BarrierClock& clock = clocks_[static_cast<std::size_t>(barrier)];
  for (int v = 0; v < warps_; ++v) {
    known_[warp][v] = std::max(known_[warp][v], clock.ended[v]);
  }
  for (std::size_t b = 0; b < clock.ended_seen.size(); ++b) {
    seen_[b][warp] = std::max(seen_[b][warp], clock.ended_seen[b]);
  }
}

void VectorClocks::arrive_from_outside(int barrier) {
  for (int warp = 0; warp < warps_; ++warp) {
    arrive(warp, barrier);
    advance(warp);
  }
}

}  // namespace warpscope
