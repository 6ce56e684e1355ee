// scenes/csrmm/inputs/seed_reading.h: the published kernels as listed, and with wider addresses.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scenes/base/kernel_parts.h"
#include "scenes/base/scene.h"

// The listing computes places in B and C in int and states no launch bounds. Sessions recorded
// before these became axes of the published kernels have 64-bit addresses and the launch bounds of
// one warp:
//
//   axes.push_back(index_width_axis()), axes.push_back(launch_bounds_axis());
//   variant.constraints.push_back(products_fit_index_width());
//   if (!recorded_first(w)) add_reading(w, defines);  // of kernels that include seed_reading.cuh

namespace warpscope::csrmm {

struct SeedReading {
  const char *index_width, *launch_bounds;
};
inline constexpr SeedReading kAsListed = {"32", "none"};
inline constexpr SeedReading kRecordedFirst = {"64", "32"};
// The default values of the axes.
inline constexpr SeedReading kDefaultReading = kAsListed;

inline constexpr double kMost32BitElements = 2147483648.0;  // 2³¹

Axis index_width_axis();
Axis launch_bounds_axis();

std::int64_t index_width(const Workload& w);  // 32 or 64; 64 where the variant has no such axis
bool recorded_first(const Workload& w);       // in both choices, or where it has none
void add_reading(const Workload& w, Defines& defines);  // INDEX_WIDTH and LAUNCH_BOUNDS

// For variants with the axis index_width: why int products stop here.
Constraint products_fit_index_width();

}  // namespace warpscope::csrmm
