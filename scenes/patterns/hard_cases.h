// scenes/patterns/hard_cases.h: the hard cases of `patterns`.
#pragma once

#include <vector>

#include "scenes/base/hard_case.h"

namespace warpscope::patterns {

std::vector<HardCase> hard_cases();

}  // namespace warpscope::patterns
