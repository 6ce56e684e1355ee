// profiling/emulator/shadow/lane_copies.h: groups of cp.async copies, and who has waited for them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "profiling/emulator/shadow/record.h"
#include "profiling/emulator/shadow/vector_clocks.h"

namespace warpscope {

// When a lane had waited for how many groups.
struct GroupWait {
  std::uint32_t groups = 0, clock = 0, sync = 0;
};

// The bytes of a copy are on their way until the lane that asked waits for the group; from then on
// they are a write of that lane, which other lanes may read after a synchronisation.
class LaneCopies {
 public:
  void begin_block(int warps);

  // The group that a copy of the lane is in now.
  std::uint32_t group(int warp, int lane) const { return committed_[warp][lane]; }
  void commit(int warp, std::uint32_t lanes);
  void wait(const VectorClocks& clocks, int warp, std::uint32_t lanes, std::uint32_t sync,
            std::int64_t groups_left);
  // A warp that sees this phase end also sees the copies of the lane so far.
  void end_copies(int warp, int lane, int barrier, std::uint32_t phase);

  // Whether the warp has seen the copy of a record end through an mbarrier.
  bool is_seen(const VectorClocks& clocks, const ShadowRecord& r, int warp) const;
  // Whether the lane that asked has waited for its group, and the wait that ended it; null: none
  // did.
  bool is_waited_for(const ShadowRecord& r) const {
    return r.copy_group < completed_[r.copy_lane >> 5][r.copy_lane & 31];
  }
  const GroupWait* wait_for(const ShadowRecord& r) const;

  struct Arrival {
    std::uint32_t group = 0;  // copies of this and earlier groups
    int barrier = 0;
    std::uint32_t phase = 0;
  };

 private:
  static constexpr int most_warps = VectorClocks::most_warps;
  std::array<std::array<std::uint32_t, 32>, most_warps> committed_{}, completed_{};
  std::array<std::array<std::vector<GroupWait>, 32>, most_warps> waits_;  // by time
  std::vector<std::vector<Arrival>> arrivals_;                            // by warp << 5 | lane
  int warps_ = 0;
};

}  // namespace warpscope
