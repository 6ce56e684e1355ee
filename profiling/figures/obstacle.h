// profiling/figures/obstacle.h: why two timings may not be compared.
#pragma once

#include <optional>
#include <string>

#include "profiling/figures/timing.h"

namespace warpscope {

enum class Obstacle { time, cache, device, toolkit, clocks };
const char* to_text(Obstacle obstacle);  // "time", "cache", …

struct WhyNot {
  Obstacle obstacle = Obstacle::time;
  std::string sentence;  // "clocks of 1980 and 1755 MHz"
};

// The first thing that stands between two timings: one has no samples, another cache state, device
// or toolkit, SM clocks more than 2 % apart. No value if they may be compared.
// source: profiling/README.md, Times
std::optional<WhyNot> why_not_comparable(const Timing& baseline,
                                         const TimingConditions& baseline_conditions,
                                         const Timing& candidate,
                                         const TimingConditions& candidate_conditions);

}  // namespace warpscope
