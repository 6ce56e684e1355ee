// profiling/emulator/memory/cost.h: closed forms of what usual requests cost.
#pragma once

#include <cstdint>

#include "profiling/access/access.h"

// The same figures as add_global and add_shared of profiling/access/access.h, which a test holds,
// for patterns that most requests have. The first address is a multiple of the width.

namespace warpscope {

// Addresses first, first + width, … of all 32 lanes.
void add_contiguous_global(AccessTotals& totals, std::uint64_t first, int width);
// One address of all 32 lanes of a load or store.
void add_broadcast_global(AccessTotals& totals, int width);
void add_contiguous_shared(AccessTotals& totals, std::uint64_t first, int width);

}  // namespace warpscope
