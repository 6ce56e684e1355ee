// scenes/deform/backward/inputs.h: the inputs of `deform`, and the gradient of its outputs.
#pragma once

#include <vector>

#include "scenes/base/scene.h"

namespace warpscope::deform_backward {

// shapes, starts, value, loc and weight as `deform` makes them, and grad_out: normal numbers.
std::vector<InputGroup> input_groups();

// "exact": only a sample's place is rounded, to f32.
std::vector<Reference> references();

}  // namespace warpscope::deform_backward
