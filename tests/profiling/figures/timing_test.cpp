// tests/profiling/figures/timing_test.cpp: statistics of samples, when to stop, and verdicts
// between two.
#include "profiling/figures/timing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace warpscope {
namespace {

const TimingConditions kDevice{.device = "a device", .toolkit = "13.0", .sm_clock_mhz = 1980};

// Samples around `centre_ns` with a normal spread of `noise_ratio`.
Timing timing_of(double centre_ns, double noise_ratio, std::uint64_t seed, int count = 200) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> spread(centre_ns, centre_ns * noise_ratio);
  Timing timing;
  timing.cache = CacheState::warm;
  timing.sm_clock_mhz = kDevice.sm_clock_mhz;
  for (int i = 0; i < count; ++i) timing.samples_ns.push_back(spread(random));
  summarise(timing);
  return timing;
}

TEST(Timing, SummarisesByHandComputedQuartiles) {
  Timing timing;
  timing.samples_ns = {50, 10, 30, 20, 40};
  summarise(timing);
  EXPECT_DOUBLE_EQ(timing.minimum_ns, 10);
  EXPECT_DOUBLE_EQ(timing.first_quartile_ns, 20);
  EXPECT_DOUBLE_EQ(timing.median_ns, 30);
  EXPECT_DOUBLE_EQ(timing.third_quartile_ns, 40);
  EXPECT_DOUBLE_EQ(timing.maximum_ns, 50);
  // Deviations from 30 are 20, 20, 0, 10, 10: their median is 10.
  EXPECT_NEAR(timing.noise_ratio, 1.4826 * 10 / 30, 1e-12);
}

TEST(Timing, InterpolatesQuantilesBetweenSamples) {
  const std::vector<double> samples = {4, 1, 3, 2};
  EXPECT_DOUBLE_EQ(quantile(samples, 0), 1);
  EXPECT_DOUBLE_EQ(quantile(samples, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(quantile(samples, 1), 4);
  EXPECT_DOUBLE_EQ(median_absolute_deviation(samples), 1);
}

TEST(Timing, TheMedianAbsoluteDeviationIsTheMedianOfTheDistances) {
  std::mt19937_64 random(7);
  for (int count = 1; count < 60; ++count) {
    std::vector<double> samples, distances;
    // Few values, so that some repeat and some lie on the median.
    for (int i = 0; i < count; ++i) samples.push_back(static_cast<double>(random() % 20));
    const double median = quantile(samples, 0.5);
    for (const double sample : samples) distances.push_back(std::abs(sample - median));
    EXPECT_DOUBLE_EQ(median_absolute_deviation(samples), quantile(distances, 0.5)) << count;
  }
}

TEST(Timing, ARunAgainstItselfIsNeverCalledFasterOrSlower) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Timing a = timing_of(100e3, 0.004, 2 * seed), b = timing_of(100e3, 0.004, 2 * seed + 1);
    const Comparison verdict = compare(a, kDevice, b, kDevice);
    EXPECT_NE(verdict.difference, Difference::faster) << "seed " << seed << verdict.sentence;
    EXPECT_NE(verdict.difference, Difference::slower) << "seed " << seed << verdict.sentence;
  }
}

TEST(Timing, ThreePercentMoreIsSlowerAndTheOtherWayRoundFaster) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Timing a = timing_of(100e3, 0.002, 2 * seed), b = timing_of(103e3, 0.002, 2 * seed + 1);
    EXPECT_EQ(compare(a, kDevice, b, kDevice).difference, Difference::slower) << "seed " << seed;
    const Comparison faster = compare(b, kDevice, a, kDevice);
    EXPECT_EQ(faster.difference, Difference::faster) << "seed " << seed;
    EXPECT_NEAR(faster.ratio, 1.03, 0.005) << "seed " << seed;
  }
}

TEST(Timing, ColdIsNotComparedWithWarmNorOneDeviceWithAnother) {
  const Timing warm = timing_of(100e3, 0.002, 1);
  Timing cold = timing_of(150e3, 0.002, 2);
  cold.cache = CacheState::cold;
  EXPECT_EQ(compare(warm, kDevice, cold, kDevice).difference, Difference::not_comparable);
  TimingConditions other = kDevice;
  other.device = "another device";
  const Timing again = timing_of(150e3, 0.002, 3);
  EXPECT_EQ(compare(warm, kDevice, again, other).difference, Difference::not_comparable);
  EXPECT_EQ(compare(warm, kDevice, Timing{.cache = CacheState::warm}, kDevice).difference,
            Difference::not_comparable);
}

// 3 % of the clock: what they explain is a tie in one of time and cycles.
TEST(Timing, OtherClocksForbidAVerdictOnlyWhereTimeAndCyclesDisagree) {
  TimingConditions slow = kDevice;
  slow.sm_clock_mhz = 0.97 * kDevice.sm_clock_mhz;
  const Timing base = timing_of(100e3, 0.002, 1);
  for (const auto& [centre_ns, expected] :
       {std::pair(60e3, Difference::faster), std::pair(150e3, Difference::slower),
        std::pair(103.1e3, Difference::not_comparable),     // as many cycles
        std::pair(100e3, Difference::not_comparable),       // as long
        std::pair(101.5e3, Difference::not_comparable)}) {  // longer, and fewer cycles
    const Comparison verdict = compare(base, kDevice, timing_of(centre_ns, 0.002, 2), slow);
    EXPECT_EQ(verdict.difference, expected) << centre_ns << ": " << verdict.sentence;
    EXPECT_NE(verdict.sentence.find("clocks of 1980 and 1921 MHz"), std::string::npos)
        << verdict.sentence;
  }
}

TEST(StoppingRule, StopsOnceSteadySamplesHaveFilledTheLeastTime) {
  StoppingRule rule({.noise_ratio = 0.005, .minimum_samples = 10, .minimum_total_ns = 20e6});
  int taken = 0;
  while (taken < 1000) {
    ++taken;
    if (rule.add(1e6, 1e6, taken * 1e-3)) break;
  }
  EXPECT_GE(taken, 20);  // 20 samples of 1 ms are 20 ms
  EXPECT_LT(taken, 1000);
}

TEST(StoppingRule, StopsAtTheTimeLimitHoweverNoisy) {
  StoppingRule rule({.noise_ratio = 0.005, .minimum_samples = 10, .time_limit_s = 1});
  std::mt19937_64 random(7);
  double elapsed_s = 0;
  std::optional<std::string> reason;
  while (!reason && elapsed_s < 2) {
    elapsed_s += 0.01;
    reason = rule.add(static_cast<double>(1 + random() % 1000000), 1, elapsed_s);
  }
  ASSERT_TRUE(reason);
  EXPECT_LE(elapsed_s, 1.02);
  EXPECT_FALSE(reason->empty());
}

}  // namespace
}  // namespace warpscope
