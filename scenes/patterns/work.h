// scenes/patterns/work.h: what each operation must cost by arithmetic alone, level by level.
#pragma once

#include <vector>

#include "scenes/scene.h"

namespace warpscope::patterns {

std::vector<WorkTerm> work_terms();

}  // namespace warpscope::patterns
