// profiling/overview/roof_shares.h: how much of its roofs of memory, arithmetic and instruction
// issue a point uses.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiling/figures/metric.h"
#include "profiling/points/roof.h"

namespace warpscope {

// A row that stands before all metrics.
struct RoofShare {
  MetricValue value;  // unit: ratio; 1.0 stands on the roof
  std::string label;  // "memory, of the L2 roof"
  std::string sentence;
  std::optional<Level> level = {};  // of memory, that the value is of
};

// Memory (named_use of roof_use.h), compute (the pipe of the variant) and instruction issue, in
// that order. `standing` null: there is none, and `without` says why. `level`: memory's share is of
// this level, so that two points are compared at one roof.
std::vector<RoofShare> roof_shares(const Measurement& point, CacheState cache,
                                   const RooflineStanding* standing, const RoofSet& roofs,
                                   const std::string& without = {},
                                   std::optional<Level> level = {});

}  // namespace warpscope
