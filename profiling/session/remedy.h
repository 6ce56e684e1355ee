// profiling/session/remedy.h: what change of axes lets a variant run.
#pragma once

#include <optional>

#include "profiling/messages/protocol.h"

namespace warpscope {

// What constraints may ask of the device that said hello; of an H200 where none did.
DeviceLimits limits_of(const DeviceDescription* device);

// The remedy of the first constraint that a point which cannot run breaks. Nothing where it can, or
// no change of axes mends it.
std::optional<AxisChange> remedy_of(const Scene& scene, const Measurement& point,
                                    const DeviceLimits& device);

}  // namespace warpscope
