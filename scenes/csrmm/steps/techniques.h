// scenes/csrmm/steps/techniques.h: csrmm's variants by technique.
#pragma once

#include <vector>

#include "scenes/base/scene.h"

namespace warpscope::csrmm {

// The published kernels, and the ablations that test their claims.
std::vector<Variant> seed_variants();

// Streams B through shared memory in tiles.
std::vector<Variant> streamed_variants();
// They read padding besides.
void explain_padding(Variant& variant);

// Rows that differ in length: ordered, split, or cut into equal shares.
std::vector<Variant> skewed_variants();

// Both ops: zeros of B are dropped first.
std::vector<Variant> compressed_variants();

// Both ops: entries, columns of B or of C in shared memory; rows from a queue.
std::vector<Variant> staged_variants();

// One weight and no duplicates: A as a bitmap.
std::vector<Variant> tensor_core_variants();

// Op T: scatters with fewer requests, and the gather on the columns of A.
std::vector<Variant> transposed_variants();

// What arrays are made of in array programs, and calls of cuSPARSE and cuBLAS.
std::vector<Variant> array_programs();
std::vector<Variant> library_variants();

}  // namespace warpscope::csrmm
