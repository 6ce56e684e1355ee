// scenes/patterns/patterns.h: access patterns for teaching: copies, layouts, transposes, sums,
// gathers, atomics.
#pragma once

#include "scenes/base/scene.h"

namespace warpscope {

Scene patterns_scene();

}  // namespace warpscope
