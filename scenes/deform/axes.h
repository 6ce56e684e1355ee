// scenes/deform/axes.h: what can be varied in `deform`.
#pragma once

#include <vector>

#include "scenes/base/scene.h"

namespace warpscope::deform {

std::vector<Axis> axes();
std::vector<Preset> presets();
// What is refused before any work: sizes that do not fit, lists of half a level. error: usage.
Result<void> admit(const Configuration& axes);

}  // namespace warpscope::deform
