// scenes/led/hard_cases.h: the hard cases of `led`.
#pragma once

#include <vector>

#include "scenes/base/hard_case.h"

namespace warpscope::led {

std::vector<HardCase> hard_cases();

}  // namespace warpscope::led
