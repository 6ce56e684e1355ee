// scenes/deform/backward/hard_cases.h: the hard cases of `deform_backward`.
#pragma once

#include <vector>

#include "scenes/base/hard_case.h"

namespace warpscope::deform_backward {

std::vector<HardCase> hard_cases();

}  // namespace warpscope::deform_backward
