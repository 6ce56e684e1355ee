// scenes/esmm/variants/exhibits.h: rungs that compute something wrong, to see why.
#pragma once

#include <vector>

#include "scenes/base/scene.h"

// They are hidden until the axis `broken` is on. Whether they go wrong depends on the patterns, so
// these are counted before anything runs, and only then.

namespace warpscope::esmm {

// Facts, where `broken` is on:
//   list_misses    k that the first group of A lacks, another has, and B has nonzeros at
//   mixed_blocks   blocks of 128 rows and eight k of which some groups have the byte 0, others not
//   staged_misses  k, among eight groups of A that share a tile, that only some have, where B has
//                  nonzeros
//   has_products   1 where any nonzero of A meets one of B, else 0
// error: input, of files.
Result<void> measure_exhibits(const Configuration& axes, Inputs& inputs, Facts& facts);

// Whether all groups of A have one pattern, whatever the random seed is.
bool rows_are_alike(const Configuration& axes);

std::vector<Variant> exhibits();

}  // namespace warpscope::esmm
