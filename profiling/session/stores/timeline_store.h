// profiling/session/stores/timeline_store.h: the newest timeline of each point.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "profiling/points/timeline.h"
#include "profiling/session/stores/held.h"

namespace warpscope {

class TimelineStore {
 public:
  // As of a session's revision; an older one than is here is not kept.
  void keep(Timeline timeline, std::uint64_t revision);

  const Timeline* find(const PointId& id) const;
  std::vector<const Timeline*> all() const;

  void keep_device(std::string_view device);
  // What is held until now came from a file, and stays.
  void opened_all();
  void add_to(HeldInMemory& memory) const;
  std::size_t let_go(std::int64_t limit);

 private:
  struct Kept {
    Timeline timeline;
    std::int64_t bytes = 0;
    std::uint64_t revision = 0;
    bool opened = false;
  };

  std::map<PointId, Kept> timelines_;
};

}  // namespace warpscope
