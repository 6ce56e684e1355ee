// profiling/figures/noise.cpp: whether two figures of one metric differ by more than the noise.
#include "profiling/figures/noise.h"

#include <cmath>

namespace warpscope {
namespace {

ChangeVerdict noise() { return {Significance::noise, "within the measured noise"}; }

// The timing as if its median were the figure, or what a unit takes at the rate: a higher rate is a
// shorter time. Samples are left out; verdicts do not read them.
Timing scaled(const TimedFigure& figure) {
  const double median = figure.rate ? 1 / figure.value : figure.value;
  const double scale = median / figure.timing.median_ns;
  Timing timing;
  timing.cache = figure.timing.cache;
  timing.median_ns = median;
  timing.minimum_ns = figure.timing.minimum_ns * scale;
  timing.third_quartile_ns = figure.timing.third_quartile_ns * scale;
  return timing;
}

bool can_be_judged(const TimedFigure& figure) {
  return figure.value > 0 && figure.timing.median_ns > 0;
}

}  // namespace

ChangeVerdict judge_counts(double baseline, double candidate) {
  if (std::abs(candidate - baseline) <= kSmallestChange * std::abs(baseline)) return noise();
  return {Significance::beyond_noise, ""};
}

ChangeVerdict judge_times(const TimedFigure& baseline, const TimedFigure& candidate) {
  if (!can_be_judged(baseline) || !can_be_judged(candidate))
    return {Significance::unknown, "its noise is unknown: there are no samples"};
  const Comparison verdict =
      compare(scaled(baseline), {"", baseline.toolkit, baseline.timing.sm_clock_mhz},
              scaled(candidate), {"", candidate.toolkit, candidate.timing.sm_clock_mhz});
  if (verdict.difference == Difference::not_comparable)
    return {Significance::unknown, verdict.sentence};
  if (verdict.difference == Difference::faster || verdict.difference == Difference::slower)
    return {Significance::beyond_noise, ""};
  return noise();
}

}  // namespace warpscope
