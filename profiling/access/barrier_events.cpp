// profiling/access/barrier_events.cpp: names of what warps do at barriers.
#include "profiling/access/barrier_events.h"

#include "scenes/host/enumerators.h"

namespace warpscope {

const char* to_text(BarrierFamily family) {
  return named(family, {"block", "mbarrier", "cluster"});
}

const char* to_text(BarrierMark mark) {
  return named(mark, {"arrive", "arrive and wait", "expect bytes", "copy", "wait"});
}

}  // namespace warpscope
