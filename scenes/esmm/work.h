// scenes/esmm/work.h: what a product must cost by arithmetic, as far as patterns leave any.
#pragma once

#include <vector>

#include "scenes/base/scene.h"

namespace warpscope::esmm {

std::vector<WorkTerm> work_terms();

// Which patterns a variant reads: they are made from values, and decide which steps it takes.
struct Skips {
  bool a = false, b = false;
};
// Steps of k that the warps of its tile take, and what they cost. The variant has tile axes.
void charge_steps(Variant& variant, Skips skips);
// The values that patterns are made of are read once more where that belongs to the call.
void charge_patterns(Variant& variant, Skips skips);

}  // namespace warpscope::esmm
