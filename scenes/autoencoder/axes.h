// scenes/autoencoder/axes.h: what can be varied in `autoencoder`.
#pragma once

#include <vector>

#include "scenes/base/scene.h"

namespace warpscope::autoencoder {

std::vector<Axis> axes();
std::vector<Preset> presets();
// error: usage, with the axes that do not go together.
Result<void> admit(const Configuration& axes);

}  // namespace warpscope::autoencoder
