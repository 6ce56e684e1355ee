// profiling/engine/measure/timeline_capture.h: what ran on the device while something was called.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "profiling/messages/protocol.h"
#include "profiling/points/timeline.h"
#include "scenes/host/result.h"

namespace warpscope {

// Runs `work` with CUPTI's activity records on (kernels, copies, memsets, NVTX markers) and returns
// them with times from the first, ranges with their depth. Records are on only during the call:
// CUPTI's tracing grows in a process that leaves it on. `work` must leave the device idle. error:
// what it reports, environment, resource when CUPTI dropped records.
Result<Timeline> capture_timeline(const std::function<Result<void>()>& work);

// From one of CUPTI's times to another. They count from 1970: as doubles they would be rounded to
// 256 ns before they were subtracted.
double ns_between(std::uint64_t from, std::uint64_t to);

// Times counted from the first record; ranges and activities by start, ranges with their depth.
Timeline arranged(Timeline timeline);

// "timeline" and "nvtx": they need CUPTI, but no permission to count.
std::vector<Capability> timeline_capabilities(bool hands_off);

}  // namespace warpscope
