// tests/workbench/window/slow_gpu.h: a recorded session as another, slower device might have
// recorded it.
#pragma once

#include <cstdint>
#include <string>

#include "profiling/session/session.h"

namespace warpscope {

// The session with the name, UUID, L2 (8 MB) and multiprocessors (20) of a device that does not
// exist. Times are 3 to 15 times as long, each variant's by a factor of its own, so that orders
// flip; counters are 0.6 to 1.6 times what they were, and roofs a tenth. Another random seed gives
// another device.
Session slow_gpu(const Session& recorded, std::uint64_t seed);

// The session with one variant's times multiplied, its noise with them.
Session with_times_of(const Session& recorded, const std::string& variant, double factor);

}  // namespace warpscope
