// scenes/led/variants.h: led's variants: names, words, constraints and tolerances.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "scenes/base/scene.h"

namespace warpscope::led {

// `axes`: of the scene.
std::vector<Variant> variants(const std::vector<Axis>& axes);

// What all variants share; each then sets what is its own.
Variant led_variant(std::string name, std::string label, std::string family, std::string sentence,
                    std::string look_at, std::function<std::vector<Step>(const Workload&)> steps);

// The libraries' calls, which multiply the same blocks as matrices.
std::vector<Variant> library_variants();

}  // namespace warpscope::led
