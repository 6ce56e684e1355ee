// scenes/deform/backward/work.h: what the gradients must cost by arithmetic alone.
#pragma once

#include <vector>

#include "scenes/base/scene.h"

namespace warpscope::deform_backward {

std::vector<WorkTerm> work_terms();

}  // namespace warpscope::deform_backward
