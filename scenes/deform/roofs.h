// scenes/deform/roofs.h: the ceilings of deform's own access shapes.
#pragma once

#include <vector>

#include "scenes/base/scene.h"

namespace warpscope::deform {

// gather_64: four lanes read a corner of 64 bytes from anywhere in a window that L1 holds.
// gather_pairs: eight lanes read two neighbouring corners.
std::vector<SceneRoof> roofs();

}  // namespace warpscope::deform
