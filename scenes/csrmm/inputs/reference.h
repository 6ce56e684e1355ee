// scenes/csrmm/inputs/reference.h: what C must be, on the device and on the CPU.
#pragma once

#include <vector>

#include "scenes/base/scene.h"

namespace warpscope::csrmm {

// "ieee": every stored entry counts. "skip_zero": terms whose b is zero do not exist, so 0 · Inf is
// never formed. They differ only where weights are not finite.
std::vector<Reference> references();

}  // namespace warpscope::csrmm
