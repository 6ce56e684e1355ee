// profiling/access/bank_groups.h: lanes that go to the banks of shared memory together.
#pragma once

#include <array>
#include <cstdint>

#include "profiling/access/access.h"

namespace warpscope {

bool is_matrix(AccessKind kind);

// Lanes that one wavefront can serve without conflict go together: 32 of up to 4 bytes, 16 of 8,
// 8 of 16.
int group_lanes(int width);
// … and of a request: those of 16 bytes in which neighbours share an address go in larger groups.
int lanes_a_group(const WarpRequest& request, int width, AccessKind kind);
std::uint32_t group_mask(int lanes, int group);

// How many distinct words the lanes of `mask` touch in each bank.
std::array<std::int64_t, shared_banks> words_by_bank(const WarpRequest& request, int width,
                                                     std::uint32_t mask);

}  // namespace warpscope
