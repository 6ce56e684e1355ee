// scenes/esmm/automatic.h: the rows of esmm that pick another row of their league.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scenes/base/scene.h"
#include "scenes/choice/choose.h"

namespace warpscope::esmm {

// The share of the products that pairs of 32 rows and 32 columns are expected to take, from what
// the axes say of both operands' zeros: 0 … 1. No value if the zeros come from a file.
std::optional<double> expected_pairs(const Configuration& axes);

// What fitted costs may depend on. `axes`: of the scene.
ChoiceFeatures choice_features(const std::vector<Axis>& axes);

// One row per league, which follows fitted costs. `axes`: of the scene.
std::vector<Variant> automatic_variants(const std::vector<Variant>& among,
                                        const std::vector<Axis>& axes);

}  // namespace warpscope::esmm
