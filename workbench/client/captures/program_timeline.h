// workbench/client/captures/program_timeline.h: the newest launches of a running program as a
// timeline.
#pragma once

#include "profiling/points/timeline.h"
#include "workbench/client/captures/seen_launches.h"

namespace warpscope {

// The launches of the last second that was timed. Ranges are those that neighbouring launches of a
// process have in common: from the first launch inside to the end of the last one.
Timeline program_timeline(const SeenLaunches& seen);

}  // namespace warpscope
