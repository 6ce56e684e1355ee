// scenes/csrmm/automatic.h: the row that picks another row by what is known of the input.
#pragma once

#include <string>
#include <vector>

#include "scenes/base/scene.h"
#include "scenes/choice/choose.h"

namespace warpscope::csrmm {

// What fitted costs may depend on. `axes`: of the scene.
ChoiceFeatures choice_features(const std::vector<Axis>& axes);

// Names of the variants that it may pick, in the order of its table.
std::vector<std::string> automatic_candidates();

// A row whose steps, scratch and constraints are those of the row of `among` that its table picks
// at a workload; `choice` names it and says why. `among` must hold every candidate, of which a
// library's call is one where it is the fastest. Axes of the picked row alone (of
// `axes`, the scene's) stand at their defaults.
Variant automatic_variant(const std::vector<Variant>& among, const std::vector<Axis>& axes);

}  // namespace warpscope::csrmm
