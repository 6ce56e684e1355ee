// scenes/esmm/inputs/reference.h: what C must be, on the device and on the CPU.
#pragma once

#include <vector>

#include "scenes/base/scene.h"

namespace warpscope::esmm {

// "exact": every product of A and B in double precision.
std::vector<Reference> references();

}  // namespace warpscope::esmm
