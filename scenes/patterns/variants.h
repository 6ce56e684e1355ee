// scenes/patterns/variants.h: each operation's variants, in teaching order.
#pragma once

#include <vector>

#include "scenes/base/scene.h"

namespace warpscope::patterns {

// Buffers: x, y, and index (gather) or key (atomics).
std::vector<Variant> variants();

}  // namespace warpscope::patterns
