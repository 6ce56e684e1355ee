// profiling/overview/bandwidths.h: how many bytes a second a point moves at each level, and of what
// roof.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiling/points/roof.h"

namespace warpscope {

// One level of memory.
struct Bandwidth {
  Level level = Level::dram;
  double rate = 0;                                // unit: B/s
  std::optional<double> roof_rate;                // unit: B/s; nothing: no roof of it
  std::optional<double> roof_ratio;               // 1.0 stands on it
  std::optional<double> least_ratio, most_ratio;  // where the bytes lie in an interval
  std::string roof;                               // "DRAM roof at 20 % writes"
  std::string impossible;                         // the sentence where it is above its roof
  Origin origin = Origin::measured;               // of the bytes
};

// DRAM, L2, L1, shared memory: those whose bytes are known. Works without arithmetic.
std::vector<Bandwidth> bandwidths(const RooflineStanding& standing, double time_ns);

// The one of a level; null: its bytes are not known.
const Bandwidth* find_bandwidth(const std::vector<Bandwidth>& list, Level level);

}  // namespace warpscope
