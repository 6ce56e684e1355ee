// scenes/esmm/axes.h: what can be varied in `esmm`.
#pragma once

#include <vector>

#include "scenes/base/scene.h"

namespace warpscope::esmm {

std::vector<Axis> axes();
std::vector<Preset> presets();
// Sizes that no memory holds, and patterns that are none. error: usage.
Result<void> admit(const Configuration& axes);

}  // namespace warpscope::esmm
