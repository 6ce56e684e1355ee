// profiling/figures/timing.cpp: statistics of samples, when to stop, and comparisons.
#include "profiling/figures/timing.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "profiling/figures/noise.h"
#include "profiling/figures/obstacle.h"
#include "scenes/host/enumerators.h"

namespace warpscope {
namespace {

constexpr double kClockSpread = 0.02;  // clocks further apart are other conditions

std::string text(const char* format, double value) {
  char buffer[96];
  std::snprintf(buffer, sizeof buffer, format, value);
  return buffer;
}

struct Interval {
  double low = 0, high = 0, median = 0;
};

Interval interval_of(const Timing& t, double scale) {
  return {t.minimum_ns * scale, t.third_quartile_ns * scale, t.median_ns * scale};
}

// Whether `a` is below `b` by more than their intervals overlap and more than `kSmallestChange`.
bool clearly_below(const Interval& a, const Interval& b) {
  const double gap = b.median - a.median;
  const double overlap = std::max(0.0, std::min(a.high, b.high) - std::max(a.low, b.low));
  return gap > overlap && gap > kSmallestChange * b.median;
}

double quantile_of_sorted(std::span<const double> sorted, double q) {
  if (sorted.empty()) return 0;
  const double at = std::clamp(q, 0.0, 1.0) * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

// The median of the distances from the median. Samples on either side of it are in order of their
// distance already: no second sort is needed.
double deviation_of_sorted(std::span<const double> sorted, double median) {
  if (sorted.empty()) return 0;
  auto above = static_cast<std::size_t>(std::lower_bound(sorted.begin(), sorted.end(), median) -
                                        sorted.begin());
  std::size_t below = above;  // one after the next sample below the median
  std::vector<double> distances;
  while (distances.size() <= sorted.size() / 2) {
    const bool is_above = below == 0 || (above < sorted.size() &&
                                         sorted[above] - median < median - sorted[below - 1]);
    distances.push_back(is_above ? sorted[above++] - median : median - sorted[--below]);
  }
  // As quantile_of_sorted has it of all distances: those that follow are not asked for.
  const double at = 0.5 * static_cast<double>(sorted.size() - 1);
  const auto first = static_cast<std::size_t>(at);
  const std::size_t next = std::min(first + 1, distances.size() - 1);
  return distances[first] +
         (at - static_cast<double>(first)) * (distances[next] - distances[first]);
}

Difference difference_of(const Interval& baseline, const Interval& candidate) {
  if (std::abs(candidate.median - baseline.median) <= kSmallestChange * baseline.median)
    return Difference::same;
  if (clearly_below(candidate, baseline)) return Difference::faster;
  if (clearly_below(baseline, candidate)) return Difference::slower;
  return Difference::ambiguous;
}

}  // namespace

const char* to_text(CacheState state) { return state == CacheState::cold ? "cold" : "warm"; }

const char* to_text(Difference difference) {
  return named(difference, {"faster", "slower", "same", "ambiguous", "not comparable"});
}

double quantile(std::span<const double> samples, double q) {
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  return quantile_of_sorted(sorted, q);
}

double median_absolute_deviation(std::span<const double> samples) {
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  return deviation_of_sorted(sorted, quantile_of_sorted(sorted, 0.5));
}

void summarise(Timing& timing) {
  // Sorted once: a session has millions of samples, and the stopping rule looks at them often.
  const std::vector<double> s = timing.samples_ns.sorted();
  timing.minimum_ns = quantile_of_sorted(s, 0);
  timing.first_quartile_ns = quantile_of_sorted(s, 0.25);
  timing.median_ns = quantile_of_sorted(s, 0.5);
  timing.third_quartile_ns = quantile_of_sorted(s, 0.75);
  timing.maximum_ns = quantile_of_sorted(s, 1);
  // 1.4826 scales the median absolute deviation to a normal distribution's standard deviation.
  timing.noise_ratio = timing.median_ns > 0
                           ? 1.4826 * deviation_of_sorted(s, timing.median_ns) / timing.median_ns
                           : 0;
}

std::optional<std::string> StoppingRule::add(double sample_ns, double gpu_ns, double elapsed_s) {
  samples_.push_back(sample_ns);
  total_ns_ += gpu_ns;
  const auto count = static_cast<int>(samples_.size());
  if (elapsed_s >= limits_.time_limit_s) return text("time limit of %.3g s", limits_.time_limit_s);
  if (count >= limits_.maximum_samples) return "enough samples";
  if (count < limits_.minimum_samples || total_ns_ < limits_.minimum_total_ns) return std::nullopt;
  // Sorting at every sample would make long runs quadratic: look every eighth.
  if (count % 8 != 0 && count != limits_.minimum_samples) return std::nullopt;
  Timing timing;
  timing.samples_ns = samples_;
  summarise(timing);
  if (timing.noise_ratio < limits_.noise_ratio) {
    return text("noise under %.1f %%", limits_.noise_ratio * 100);
  }
  noise_history_.push_back(timing.noise_ratio);
  constexpr std::size_t kSettled = 12;  // looks in which the noise no longer moves
  if (noise_history_.size() < kSettled) return std::nullopt;
  const std::span<const double> recent(noise_history_.end() - kSettled, noise_history_.end());
  const auto [low, high] = std::minmax_element(recent.begin(), recent.end());
  if (*high - *low > 0.05 * *high) return std::nullopt;
  return text("noise settled at %.1f %%", timing.noise_ratio * 100);
}

const char* to_text(Obstacle obstacle) {
  return named(obstacle, {"time", "cache", "device", "toolkit", "clocks"});
}

std::optional<WhyNot> why_not_comparable(const Timing& baseline,
                                         const TimingConditions& baseline_conditions,
                                         const Timing& candidate,
                                         const TimingConditions& candidate_conditions) {
  if (baseline.median_ns <= 0 || candidate.median_ns <= 0)
    return WhyNot{Obstacle::time, "there is no time"};
  if (baseline.cache != candidate.cache) return WhyNot{Obstacle::cache, "cold against warm"};
  const auto other = [](const char* what, const std::string& a, const std::string& b) {
    return std::string("other ") + what + " (" + (a.empty() ? "unknown" : a) + " and " +
           (b.empty() ? "unknown" : b) + ")";
  };
  const TimingConditions &a = baseline_conditions, &b = candidate_conditions;
  if (a.device != b.device) return WhyNot{Obstacle::device, other("device", a.device, b.device)};
  if (a.toolkit != b.toolkit)
    return WhyNot{Obstacle::toolkit, other("toolkit", a.toolkit, b.toolkit)};
  const double clock_a = a.sm_clock_mhz, clock_b = b.sm_clock_mhz;
  if (clock_a > 0 && clock_b > 0 &&
      std::abs(clock_a - clock_b) > kClockSpread * std::max(clock_a, clock_b))
    return WhyNot{Obstacle::clocks,
                  text("clocks of %.0f", clock_a) + text(" and %.0f MHz", clock_b)};
  return std::nullopt;
}

Comparison compare(const Timing& baseline, const TimingConditions& baseline_conditions,
                   const Timing& candidate, const TimingConditions& candidate_conditions) {
  const auto why =
      why_not_comparable(baseline, baseline_conditions, candidate, candidate_conditions);
  const Comparison none = {Difference::not_comparable, 0,
                           "not comparable: " + (why ? why->sentence : std::string())};
  if (why && why->obstacle != Obstacle::clocks) return none;
  const double clock_a = baseline_conditions.sm_clock_mhz,
               clock_b = candidate_conditions.sm_clock_mhz;
  const bool clocks = clock_a > 0 && clock_b > 0;
  Comparison result;
  result.ratio = baseline.median_ns / candidate.median_ns;
  result.difference = difference_of(interval_of(baseline, 1), interval_of(candidate, 1));
  if (clocks) {
    const Difference in_cycles =
        difference_of(interval_of(baseline, clock_a), interval_of(candidate, clock_b));
    // A kernel that draws much power lowers its own clock. Where time and cycles say the same, the
    // clocks do not decide; else they might.
    const bool agreed = in_cycles == result.difference &&
                        (in_cycles == Difference::faster || in_cycles == Difference::slower);
    if (why && !agreed) return none;
    if (in_cycles != result.difference && result.difference != Difference::same) {
      result.difference = Difference::ambiguous;
    }
  }
  switch (result.difference) {
    case Difference::faster:
      result.sentence = text("%.2f× faster", result.ratio);
      break;
    case Difference::slower:
      result.sentence = text("%.2f× slower", 1 / result.ratio);
      break;
    case Difference::same:
      result.sentence = "the same within 0.5 %";
      break;
    default:
      result.sentence =
          text("%+.1f %%, inside the noise", (candidate.median_ns / baseline.median_ns - 1) * 100);
  }
  if (why) result.sentence += ", at " + why->sentence;
  return result;
}

}  // namespace warpscope
