// workbench/workspace/memory_bounds.h: what a window keeps of its session in memory.
#pragma once

#include <cstdint>

#include "workbench/workspace/session_view.h"

namespace warpscope {

class MemoryBounds {
 public:
  void came(const Trace& trace);
  // Lets go of what is over the limits. What is looked at or pinned stays.
  void keep(const SessionView& view, OpenedSession& opened);
  // Lets go of all traces that came since the session was opened and that nobody looks at. Those of
  // variants at the selected configuration stay, and what is pinned or was asked for by hand.
  void release(const SessionView& view, OpenedSession& opened);

 private:
  std::int64_t traced_bytes_ = 0;  // that came since freed memory was last given back
};

}  // namespace warpscope
