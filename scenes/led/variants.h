// scenes/led/variants.h: the rows of led's ladder: names, words, constraints and tolerances.
#pragma once

#include <vector>

#include "scenes/base/scene.h"

namespace warpscope::led {

std::vector<Variant> variants();

}  // namespace warpscope::led
