// scenes/csrmm/families.h: rows of csrmm's ladder by family, beyond the seed.
#pragma once

#include <vector>

#include "scenes/base/scene.h"

namespace warpscope::csrmm {

// Streams B through shared memory in tiles.
std::vector<Variant> streamed_rows();
// They read padding besides.
void explain_padding(Variant& variant);

// Rows that differ in length: ordered, split, or cut into equal shares.
std::vector<Variant> skewed_rows();

// Both ops: zeros of B are dropped first.
std::vector<Variant> compressed_rows();

// Both ops: entries, columns of B or of C in shared memory; rows from a queue.
std::vector<Variant> staged_rows();

// One weight and no duplicates: A as a bitmap.
std::vector<Variant> tensor_core_rows();

// Op T: scatters with fewer requests, and the gather on the columns of A.
std::vector<Variant> transposed_rows();

}  // namespace warpscope::csrmm
