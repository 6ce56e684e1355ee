// scenes/esmm/inputs/hard_cases.h: the hard cases of `esmm`.
#pragma once

#include <vector>

#include "scenes/base/hard_case.h"

namespace warpscope::esmm {

std::vector<HardCase> hard_cases();

}  // namespace warpscope::esmm
