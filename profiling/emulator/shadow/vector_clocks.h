// profiling/emulator/shadow/vector_clocks.h: what each warp of a block knows of the others.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

// Each warp has a clock that its barriers advance, and knows what clock of every other warp it has
// met at a barrier. An mbarrier carries clocks from arriving warps to warps that see the phase end.
// Each warp knows how many phases of each mbarrier it has seen end: that makes bulk copies visible.

namespace warpscope {

class VectorClocks {
 public:
  static constexpr int most_warps = 32;

  void begin_block(int warps);
  int warps() const { return warps_; }

  // The time of another warp of the block, or its own, that a warp comes after.
  std::uint32_t known(int warp, int other) const {
    return known_[static_cast<std::size_t>(warp)][static_cast<std::size_t>(other)];
  }
  std::uint32_t now(int warp) const { return known(warp, warp); }
  // A barrier completed: `arrived` warps are seen by the `released` ones.
  void barrier(std::uint32_t arrived, std::uint32_t released);
  // A fence of a warp: warps that fence later see what it did before, and it sees what earlier
  // fences published.
  void fence(int warp);
  // A strong load of a warp: it comes after what fences have published.
  void learn_from_fences(int warp);
  // fence.proxy.async: the async proxy sees the writes that the warp knows of.
  void fence_proxy(int warp);
  // The time of a warp up to which the async proxy sees its writes.
  std::uint32_t proxied(int warp) const { return proxied_[static_cast<std::size_t>(warp)]; }

  // mbarriers, by an index of the caller's. Phases count from 0 and never go back.
  void add_barrier(int barrier);
  void arrive(int warp, int barrier);
  void advance(int warp);  // after the arrivals of an instruction: what follows is not in them
  void end_phase(int barrier, std::uint32_t phases_over);
  void acquire(int warp, int barrier);  // the warp saw the last phase end
  // An arrival of a thread of another block, which may know of whatever this block did so far.
  void arrive_from_outside(int barrier);
  bool has_seen(int warp, std::size_t barrier, std::uint32_t phase) const {
    return seen_[barrier][static_cast<std::size_t>(warp)] > phase;
  }

 private:
  using Times = std::array<std::uint32_t, most_warps>;  // by warp
  struct BarrierClock {
    Times arrived{}, ended{};
    std::vector<std::uint32_t> arrived_seen, ended_seen;  // phases of barriers
  };

  std::array<Times, most_warps> known_{};
  Times fenced_{};   // clocks published by fences
  Times proxied_{};  // clocks of writes that the async proxy sees
  std::vector<BarrierClock> clocks_;
  std::vector<Times> seen_;  // phases over, by barrier and warp
  std::vector<std::uint32_t> fenced_seen_;
  int warps_ = 0;
};

}  // namespace warpscope
