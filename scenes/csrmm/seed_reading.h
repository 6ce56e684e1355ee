// scenes/csrmm/seed_reading.h: the seed's rungs as its listing has them and as its origin ships
// them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scenes/base/kernel_parts.h"
#include "scenes/base/scene.h"

// The listing computes places in B and C in int and says no launch bounds; what its origin ships
// has addresses of 64 bits and bounds of a warp. Both are axes of the seed's rungs:
//
//   axes.push_back(index_width_axis()), axes.push_back(launch_bounds_axis());
//   variant.constraints.push_back(products_fit_index_width());
//   if (!as_shipped(w)) add_reading(w, defines);    // of kernels that include seed_reading.cuh

namespace warpscope::csrmm {

struct SeedReading {
  const char *index_width, *launch_bounds;
};
inline constexpr SeedReading kAsListed = {"32", "none"};
inline constexpr SeedReading kAsShipped = {"64", "32"};
// At which the axes stand: the reading of the recorded session. One recorded as listed makes it
// kAsListed.
inline constexpr SeedReading kDefaultReading = kAsShipped;

inline constexpr double kMost32BitElements = 2147483648.0;  // 2³¹

Axis index_width_axis();
Axis launch_bounds_axis();

std::int64_t index_width(const Workload& w);  // 32 or 64; 64 where the variant has no such axis
bool as_shipped(const Workload& w);           // in both choices, or where it has none
void add_reading(const Workload& w, Defines& defines);  // INDEX_WIDTH and LAUNCH_BOUNDS

// Of rungs with the axis index_width: why int products stop here.
Constraint products_fit_index_width();

}  // namespace warpscope::csrmm
