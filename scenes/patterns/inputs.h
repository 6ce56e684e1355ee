// scenes/patterns/inputs.h: values, gather indices and bins, each from a stream of its own.
#pragma once

#include "scenes/base/scene.h"

// Every generator is a pure function of the configuration and its random seed.

namespace warpscope::patterns {

// Elements of x, index, key and bin_counts from `first` on; see InputGroup::elements.
void make_elements(const Workload& w, const std::string& array, std::int64_t first,
                   std::span<std::byte> bytes);

// Writes x: f32[n] or [rows, columns], uniform in [−1, 1); fact elements.
Result<void> generate_values(const Configuration& axes, Inputs& inputs, Facts& facts);

// For op = gather, writes index i32[n]: element i names i with chance `locality`, else any element.
// Facts gather_sectors (32-byte sectors of x that each 32 neighbouring indices name, summed),
// quad_sectors (the same for every fourth of 128 indices) and distinct_sectors (named at all).
// Otherwise removes it.
Result<void> generate_index(const Configuration& axes, Inputs& inputs, Facts& facts);

// For op = atomics, writes key i32[n] and bin_counts i32[bins]: in each group of 32 elements,
// `contention` neighbours share a random bin. Facts warp_bins (distinct bins of each 32 neighbours,
// summed) and busiest_bin (most elements in one). Otherwise removes them.
Result<void> generate_keys(const Configuration& axes, Inputs& inputs, Facts& facts);

}  // namespace warpscope::patterns
