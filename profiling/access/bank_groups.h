// profiling/access/bank_groups.h: lanes that go to the banks of shared memory together.
#pragma once

#include <array>
#include <cstdint>

#include "profiling/access/access.h"
#include "profiling/access/lane_addresses.h"

namespace warpscope {

// Lanes that one wavefront can serve without conflict go together: 32 of up to 4 bytes, 16 of 8, 8
// of 16. Twice as many lanes of a load go together if neighbours share an address: see shared_cost
// in access.h.
int lanes_a_group(LaneAddresses addresses, std::uint32_t active, int width, AccessKind kind);
std::uint32_t group_mask(int lanes, int group);

// How many distinct words the lanes touch in each bank: a bank serves one at a time, so a group
// takes as many wavefronts as its busiest bank has words.
std::array<std::uint8_t, kSharedBanks> words_by_bank(const SortedLanes& lanes, int width);

}  // namespace warpscope
