// scenes/deform/inputs/hard_cases.h: the hard cases of `deform`.
#pragma once

#include <vector>

#include "scenes/base/hard_case.h"

namespace warpscope::deform {

std::vector<HardCase> hard_cases();

}  // namespace warpscope::deform
