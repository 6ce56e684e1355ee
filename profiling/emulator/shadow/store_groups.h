// profiling/emulator/shadow/store_groups.h: groups of bulk copies out of shared memory, and who has
// waited for them.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "profiling/emulator/shadow/lane_copies.h"
#include "profiling/emulator/shadow/record.h"
#include "profiling/emulator/shadow/vector_clocks.h"

namespace warpscope {

// They read beside the lanes, until the lane that asked has waited for their group.
class StoreGroups {
 public:
  void begin_block() { stores_.clear(); }

  // A copy of the lane that is in no group yet.
  void open(int warp, int lane) { stores_[warp << 5 | lane].open = true; }
  // The group that a copy of the lane is in now.
  std::uint32_t group(int warp, int lane) { return stores_[warp << 5 | lane].committed; }
  void commit(int warp, std::uint32_t lanes);
  void wait(const VectorClocks& clocks, int warp, std::uint32_t lanes, std::int64_t groups_left);
  // The lanes among these with copies that nobody has waited for.
  std::uint32_t pending(int warp, std::uint32_t lanes) const;

  // Whether the warp knows that the copy of a record with kCopySource has read it.
  bool is_read(const VectorClocks& clocks, const ShadowRecord& r, int warp) const;

 private:
  struct Stores {                             // of a lane
    std::uint32_t committed = 0, waited = 0;  // groups
    bool open = false;                        // some are in no group yet
    std::vector<GroupWait> waits;
  };
  std::map<int, Stores> stores_;  // by warp << 5 | lane
};

}  // namespace warpscope
