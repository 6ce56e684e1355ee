// scenes/deform/work.h: what a sum of samples must cost by arithmetic alone.
#pragma once

#include <vector>

#include "scenes/base/scene.h"

namespace warpscope::deform {

std::vector<WorkTerm> work_terms();

}  // namespace warpscope::deform
