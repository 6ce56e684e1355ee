// profiling/emulator/cost.h: what requests cost, added up as the emulator meets them.
#pragma once

#include <cstdint>

#include "profiling/access.h"

// The same figures as global_cost and shared_cost of profiling/access.h, which a test holds, but
// with closed forms for the usual patterns. Addresses of active lanes are multiples of the width.

namespace warpscope {

// Addresses first, first + width, … of all 32 lanes.
void add_contiguous_global(AccessTotals& totals, std::uint64_t first, int width);
void add_contiguous_shared(AccessTotals& totals, std::uint64_t first, int width);

void add_global(AccessTotals& totals, const std::uint64_t* addresses, std::uint32_t mask, int width,
                AccessKind kind);
void add_shared(AccessTotals& totals, const std::uint64_t* addresses, std::uint32_t mask, int width,
                AccessKind kind);

}  // namespace warpscope
