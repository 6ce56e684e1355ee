// profiling/engine/timeline_capture.h: what ran on the device while something was called.
#pragma once

#include <functional>

#include "profiling/timeline.h"
#include "scenes/result.h"

namespace warpscope {

// Runs `work` with CUPTI's activity records on (kernels, copies, memsets, NVTX markers) and returns
// them with times from the first. Records are on only during the call: CUPTI's tracing grows in a
// process that leaves it on. `work` must leave the device idle. error: what it reports,
// environment.
Result<Timeline> capture_timeline(const std::function<Result<void>()>& work);

}  // namespace warpscope
