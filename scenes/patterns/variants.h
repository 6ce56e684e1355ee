// scenes/patterns/variants.h: the rows of each operation's ladder, in teaching order.
#pragma once

#include <vector>

#include "scenes/base/scene.h"

namespace warpscope::patterns {

// Buffers: x, y, and index (gather) or key (atomics).
std::vector<Variant> variants();

}  // namespace warpscope::patterns
