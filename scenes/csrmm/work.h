// scenes/csrmm/work.h: what csrmm must cost by arithmetic alone, level by level.
#pragma once

#include <vector>

#include "scenes/scene.h"

namespace warpscope::csrmm {

std::vector<WorkTerm> work_terms();

}  // namespace warpscope::csrmm
