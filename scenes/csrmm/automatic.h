// scenes/csrmm/automatic.h: the row that picks another row by what is known of the input.
#pragma once

#include <vector>

#include "scenes/base/scene.h"
#include "scenes/choice/choose.h"

namespace warpscope::csrmm {

// What fitted costs may depend on. `axes`: of the scene.
ChoiceFeatures choice_features(const std::vector<Axis>& axes);

// A row whose steps, scratch and constraints are those of the row of `among` that the fitted costs
// pick at a workload; `choice` names it and says why. `among` must hold every row of the fit. Axes
// of the picked row alone (of `axes`, the scene's) stand at its defaults or as the fit has them.
Variant automatic_variant(const std::vector<Variant>& among, const std::vector<Axis>& axes,
                          const std::vector<WorkTerm>& terms);

}  // namespace warpscope::csrmm
