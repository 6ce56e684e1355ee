// scenes/led/work.h: what `led` must cost by arithmetic alone, level by level.
#pragma once

#include <vector>

#include "scenes/scene.h"

namespace warpscope::led {

std::vector<WorkTerm> work_terms();

}  // namespace warpscope::led
