// scenes/csrmm/variants.h: csrmm's variants, in teaching order.
#pragma once

#include <vector>

#include "scenes/base/scene.h"

namespace warpscope {

// The seed's kernels with their ablations, two of ours that show where its
// first cost lies, the gather form that array programs use, and the libraries.
// Buffers: indptr, indices, weights, b, c. `axes` are the scene's.
std::vector<Variant> csrmm_variants(const std::vector<Axis>& axes);

}  // namespace warpscope
