// scenes/csrmm/inputs/hard_cases.h: the hard cases of `csrmm`.
#pragma once

#include <vector>

#include "scenes/base/hard_case.h"

namespace warpscope::csrmm {

std::vector<HardCase> hard_cases();

}  // namespace warpscope::csrmm
