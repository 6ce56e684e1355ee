// profiling/emulator/memory/cost.h: what requests cost, added up as the emulator meets them.
#pragma once

#include <cstdint>

#include "profiling/access/access.h"

// The same figures as global_cost and shared_cost of profiling/access/access.h, which a test holds,
// but with closed forms for the usual patterns. Addresses of active lanes are multiples of the
// width.

namespace warpscope {

// Addresses first, first + width, … of all 32 lanes.
void add_contiguous_global(AccessTotals& totals, std::uint64_t first, int width);
// One address of all 32 lanes of a load or store.
void add_broadcast_global(AccessTotals& totals, int width);
void add_contiguous_shared(AccessTotals& totals, std::uint64_t first, int width);

void add_global(AccessTotals& totals, const std::uint64_t* addresses, std::uint32_t mask, int width,
                AccessKind kind);
void add_shared(AccessTotals& totals, const std::uint64_t* addresses, std::uint32_t mask, int width,
                AccessKind kind);

// Sectors of a copy of 16 bytes a lane past L1 (cp.async.cg), whose lanes read `from` and write
// `to`: a 32-byte sector of shared memory counts once for every 128-byte line of global memory that
// some of it comes from. source: exactly what an H200 counted of 522 copies between all kinds of
// places. `from` and `to`: 32 addresses each, of which those of `lanes` count.
std::int64_t copied_sectors(const std::uint64_t* from, const std::uint64_t* to,
                            std::uint32_t lanes);
// Distinct 32-byte sectors of those addresses.
std::int64_t distinct_sectors(const std::uint64_t* addresses, std::uint32_t lanes);

}  // namespace warpscope
