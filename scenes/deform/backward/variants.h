// scenes/deform/backward/variants.h: the ladder of `deform_backward`, in teaching order.
#pragma once

#include <string>
#include <vector>

#include "scenes/base/scene.h"

namespace warpscope::deform_backward {

std::vector<Variant> variants();

// Variants that have the axis block_size.
std::vector<std::string> variants_of_blocks();

}  // namespace warpscope::deform_backward
