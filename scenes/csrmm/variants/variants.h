// scenes/csrmm/variants/variants.h: csrmm's variants, in teaching order.
#pragma once

#include <vector>

#include "scenes/base/scene.h"

namespace warpscope {

// The published kernels with their ablations, our own, the gather form of array programs, and the
// libraries. Buffers: indptr, indices, weights, b, c. `axes` are the scene's.
std::vector<Variant> csrmm_variants(const std::vector<Axis>& axes);

}  // namespace warpscope
