// scenes/deform/automatic.h: the row of `deform` that picks another one.
#pragma once

#include <vector>

#include "scenes/base/scene.h"
#include "scenes/choice/choose.h"

namespace warpscope::deform {

// What fitted costs may depend on. `axes`: of the scene.
ChoiceFeatures choice_features(const std::vector<Axis>& axes);

// Picks one of `among` by fitted costs. `axes`, `terms`: of the scene.
Variant automatic_variant(const std::vector<Variant>& among, const std::vector<Axis>& axes,
                          const std::vector<WorkTerm>& terms);

}  // namespace warpscope::deform
