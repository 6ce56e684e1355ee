// profiling/figures/noise.h: whether two figures of one metric differ by more than the noise.
#pragma once

#include <string>

#include "profiling/figures/timing.h"

// One rule for every panel, table and report:
//
// | the figure | differs by more than the noise where |
// | --- | --- |
// | is a time, or a rate over one | `compare` calls one of the two timings faster |
// | is a count | the change exceeds kSmallestChange of the baseline |
// | has one value and no samples | never known |
//
// source: profiling/README.md, Times.

namespace warpscope {

// As a ratio of the baseline; a smaller change is the same.
inline constexpr double kSmallestChange = 0.005;

enum class Significance { noise, beyond_noise, unknown };

struct ChangeVerdict {
  Significance significance = Significance::unknown;
  std::string sentence;  // "within the measured noise"; why it is unknown; empty beyond the noise
};

// Two counts: neither was timed, so that each run gives the same.
ChangeVerdict judge_counts(double baseline, double candidate);

// Two figures that each follow from a timing, as the time itself or (`rate`) as so much per second.
struct TimedFigure {
  double value = 0;
  const Timing& timing;
  std::string toolkit;
  bool rate = false;
};
ChangeVerdict judge_times(const TimedFigure& baseline, const TimedFigure& candidate);

}  // namespace warpscope
