// scenes/deform/inputs/reference.h: what every output must be, on the device and on the CPU.
#pragma once

#include <vector>

#include "scenes/base/scene.h"

namespace warpscope::deform {

// "half": coordinates, bilinear weights and their products with the attention weight rounded to f16
// as the kernels round them, products with values and sums in double precision. "exact": nothing
// is rounded.
std::vector<Reference> references();

}  // namespace warpscope::deform
