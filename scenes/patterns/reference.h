// scenes/patterns/reference.h: what y must be for each operation, on the device and on the CPU.
#pragma once

#include <vector>

#include "scenes/base/scene.h"

namespace warpscope::patterns {

// "exact", for all operations: copies, transposes and gathers to the bit, sums in double precision.
std::vector<Reference> references();

}  // namespace warpscope::patterns
