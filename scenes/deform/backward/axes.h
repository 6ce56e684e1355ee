// scenes/deform/backward/axes.h: what can be varied in `deform_backward`.
#pragma once

#include <vector>

#include "scenes/base/scene.h"

namespace warpscope::deform_backward {

// Those of `deform` that its generated inputs depend on, a type, and the tuning of variants.
std::vector<Axis> axes();
std::vector<Preset> presets();

}  // namespace warpscope::deform_backward
