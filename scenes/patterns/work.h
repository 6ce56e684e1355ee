// scenes/patterns/work.h: what each operation must cost by arithmetic alone.
#pragma once

#include <vector>

#include "scenes/base/scene.h"

namespace warpscope::patterns {

std::vector<WorkTerm> work_terms();
// Each field of the structures has an array of its own: only those summed are read.
void charge_own_arrays(Variant& variant);

}  // namespace warpscope::patterns
