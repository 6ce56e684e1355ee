// scenes/led/reference.h: what every output must be, on the device and on the CPU.
#pragma once

#include <vector>

#include "scenes/base/scene.h"

namespace warpscope::led {

// "exact": sums in double precision, row by row; exact integers for u8.
std::vector<Reference> references();

}  // namespace warpscope::led
