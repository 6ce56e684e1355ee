// profiling/overview/roof_use.h: how much of its roof each level of memory uses, and which limits.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiling/points/roof.h"

// Overview's chart, Metrics and Roofline take a level's share of its roof from here, so that they
// say the same of one point.
//
//   const std::vector<RoofUse> uses = roof_uses(standing, time_ns);
//   const RoofUse* named = named_use(uses, standing);  // the level that a first row names

namespace warpscope {

// One level of memory. The rate and the share are those of `bytes`.
struct RoofUse {
  Level level = Level::dram;
  double bytes = 0;                               // both ways together, as the roof counts them
  double rate = 0;                                // unit: B/s
  Origin origin = Origin::measured;               // of the bytes
  std::string of = {};                            // what they are, where there is a choice
  std::optional<double> roof_rate;                // unit: B/s; no value: no roof of it
  std::optional<double> roof_ratio;               // 1.0 stands on it; no value: see `no_ratio`
  std::optional<double> least_ratio, most_ratio;  // where the bytes lie in an interval
  std::string roof = {};                          // "DRAM roof at 20 % writes"
  std::string no_ratio = {};                      // why there is no share
  std::string impossible = {};                    // the sentence where it is above its roof
  bool limits = false;                            // is_limited() of level_bytes.h, by this level
};

// DRAM, L2, L1, shared memory: those whose bytes are known. Works without arithmetic.
std::vector<RoofUse> roof_uses(const RooflineStanding& standing, double time_ns);

// The one of a level; null: its bytes are not known.
const RoofUse* find_use(const std::vector<RoofUse>& list, Level level);

// The level that is named where only one is: the nearest roof of the standing if it is one of
// memory, else the level with the largest share that is known exactly. Null: no share is known.
const RoofUse* named_use(const std::vector<RoofUse>& list, const RooflineStanding& standing);

}  // namespace warpscope
