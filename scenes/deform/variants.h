// scenes/deform/variants.h: deform's ladder, in teaching order.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "scenes/base/scene.h"

// Buffers: value, shapes, starts, loc, weight (logits where softmax makes it) and out.

namespace warpscope::deform {

std::vector<Variant> variants();

// What all variants share: coordinates in half precision, held to the reference that rounds alike.
Variant deform_variant(std::string name, std::string label, std::string family,
                       std::string sentence, std::string look_at,
                       std::function<std::vector<Step>(const Workload&)> steps);

}  // namespace warpscope::deform
