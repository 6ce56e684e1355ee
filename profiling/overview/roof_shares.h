// profiling/overview/roof_shares.h: how much of its memory roof and of its arithmetic roof a point
// uses.
#pragma once

#include <string>
#include <vector>

#include "profiling/figures/metric.h"
#include "profiling/points/roof.h"

namespace warpscope {

// A row that stands before all metrics.
struct RoofShare {
  MetricValue value;  // unit: ratio; 1.0 stands on the roof
  std::string label;  // "memory: the L2 roof"
  std::string sentence;
};

// Memory (the level nearest to its roof) and compute (the pipe of the variant), in that order.
// `standing` null: there is none, and `without` says why.
std::vector<RoofShare> roof_shares(const Measurement& point, CacheState cache,
                                   const RooflineStanding* standing, const RoofSet& roofs,
                                   const std::string& without = {});

}  // namespace warpscope
