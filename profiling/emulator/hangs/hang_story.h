// profiling/emulator/hangs/hang_story.h: what blocks that hang wait for, put together over a
// launch.
#pragma once

#include <optional>
#include <vector>

#include "profiling/emulator/state/worker.h"

namespace warpscope {

// Links the workers' notes: which row waits for warps of another, who last wrote a flag and who
// could. No value: nobody waits. The workers' registers are those of their last blocks.
std::optional<HangStory> hang_story(std::vector<Worker>& workers);

}  // namespace warpscope
