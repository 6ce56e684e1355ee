// profiling/figures/timing.h: samples of one run's time, their statistics, when to stop, and
// comparisons.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "profiling/figures/samples.h"
#include "profiling/figures/shared_text.h"

// source: profiling/README.md, Times; the stopping rule and the interval comparison follow the
// published method of NVBench (noise settled, [minimum, third quartile] intervals).

namespace warpscope {

enum class CacheState { cold, warm };
const char* to_text(CacheState state);

struct Timing {
  CacheState cache = CacheState::cold;
  // In the order taken; a warm sample is a batch's mean. Empty where statistics alone were read.
  Samples samples_ns;
  double median_ns = 0, minimum_ns = 0, first_quartile_ns = 0, third_quartile_ns = 0,
         maximum_ns = 0;
  double noise_ratio = 0;   // 1.4826 · median absolute deviation / median
  int dropped_samples = 0;  // taken below 75 % of the clock seen at session start
  int runs_per_sample = 1;  // the batch of warm timing
  bool graph_replay = false;
  double sm_clock_mhz = 0;  // median clock seen around the samples; 0: not read
  SharedText stop_reason;   // "noise under 0.5 %", "noise settled at 1.2 %", "time limit 1 s", …
};

// Fills the statistics from samples_ns. NaN, infinite and negative samples are a defect of the
// caller; an empty list leaves everything 0.
void summarise(Timing& timing);

// Quantile of a sorted or unsorted sample by linear interpolation (type 7). q in [0, 1].
double quantile(std::span<const double> samples, double q);
double median_absolute_deviation(std::span<const double> samples);

struct StoppingLimits {
  double noise_ratio = 0.005;
  int minimum_samples = 10;
  double minimum_total_ns = 50e6;  // of GPU time in samples
  double time_limit_s = 15;        // 1 when live
  int maximum_samples = 10000;
};

// Feed it samples; it says when to stop and why.
class StoppingRule {
 public:
  explicit StoppingRule(StoppingLimits limits) : limits_(limits) {}
  // Adds a sample. `gpu_ns` is the GPU time of it (batch · sample), `elapsed_s` the wall time
  // since the first. Returns the reason once it is time to stop, else nothing.
  std::optional<std::string> add(double sample_ns, double gpu_ns, double elapsed_s);

 private:
  StoppingLimits limits_;
  std::vector<double> samples_;
  std::vector<double> noise_history_;
  double total_ns_ = 0;
};

enum class Difference { faster, slower, same, ambiguous, not_comparable };
const char* to_text(Difference difference);

struct Comparison {
  Difference difference = Difference::not_comparable;
  double ratio = 0;      // baseline median / candidate median: 2 is twice as fast; 0: none
  std::string sentence;  // "1.42× faster", "within 0.5 %", "not comparable: cold against warm"
};

// What must agree for two timings to be comparable, beside the cache state.
struct TimingConditions {
  std::string device, toolkit;
  double sm_clock_mhz = 0;
};

// The verdict between two timings: profiling/README.md, Times.
Comparison compare(const Timing& baseline, const TimingConditions& baseline_conditions,
                   const Timing& candidate, const TimingConditions& candidate_conditions);

}  // namespace warpscope
