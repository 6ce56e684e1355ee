// tests/profiling/figures/noise_test.cpp: one answer to whether two figures differ by more than the
// noise.
#include "profiling/figures/noise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpscope {
namespace {

using testing::HasSubstr;

// Samples from `low` to `high` around the median.
Timing timing_of(double low, double median, double high, double clock_mhz = 0) {
  Timing timing;
  timing.cache = CacheState::warm;
  timing.minimum_ns = low;
  timing.median_ns = median;
  timing.third_quartile_ns = high;
  timing.sm_clock_mhz = clock_mhz;
  return timing;
}

Significance judged(const Timing& a, const Timing& b) {
  return judge_times({a.median_ns, a, "13.0"}, {b.median_ns, b, "13.0"}).significance;
}

TEST(Noise, OfCountsEndsAtHalfAPercent) {
  EXPECT_EQ(judge_counts(1000, 1005).significance, Significance::noise);
  EXPECT_EQ(judge_counts(1000, 995).significance, Significance::noise);
  EXPECT_EQ(judge_counts(1000, 1005.1).significance, Significance::beyond_noise);
  EXPECT_EQ(judge_counts(1000, 994.9).significance, Significance::beyond_noise);
  EXPECT_EQ(judge_counts(-1000, -1004).significance, Significance::noise);
  EXPECT_EQ(judge_counts(0, 0).significance, Significance::noise);
  EXPECT_EQ(judge_counts(0, 1).significance, Significance::beyond_noise) << "0 has no percentage";
}

TEST(Noise, OfTimesEndsWhereTheirIntervalsPart) {
  // A gap of 2 µs: the intervals overlap by 1, by 2, and by 3.
  EXPECT_EQ(judged(timing_of(99, 100, 102), timing_of(101, 102, 104)), Significance::beyond_noise);
  EXPECT_EQ(judged(timing_of(99, 100, 102), timing_of(100, 102, 104)), Significance::noise);
  EXPECT_EQ(judged(timing_of(99, 100, 103), timing_of(100, 102, 104)), Significance::noise);
  // Exact samples: half a percent is the same all the same.
  EXPECT_EQ(judged(timing_of(200, 200, 200), timing_of(201, 201, 201)), Significance::noise);
  EXPECT_EQ(judged(timing_of(200, 200, 200), timing_of(201.1, 201.1, 201.1)),
            Significance::beyond_noise);
}

TEST(Noise, OfRatesIsThatOfTheirTimes) {
  const Timing a = timing_of(99, 100, 102), close = timing_of(100, 102, 104),
               apart = timing_of(101, 102, 104);
  const auto rates = [&](const Timing& b, double bytes) {
    return judge_times({1e6 / a.median_ns, a, "", true}, {bytes / b.median_ns, b, "", true})
        .significance;
  };
  EXPECT_EQ(rates(close, 1e6), Significance::noise);
  EXPECT_EQ(rates(apart, 1e6), Significance::beyond_noise);
  EXPECT_EQ(rates(close, 2e6), Significance::beyond_noise) << "the same time moves twice the bytes";
}

TEST(Noise, IsUnknownWhereThereAreNoSamples) {
  const ChangeVerdict verdict = judge_times({100, Timing{}, ""}, {200, timing_of(1, 2, 3), ""});
  EXPECT_EQ(verdict.significance, Significance::unknown);
  EXPECT_THAT(verdict.sentence, HasSubstr("no samples"));
}

TEST(Noise, IsUnknownWhereClocksMadeTheDifference) {
  const ChangeVerdict verdict = judge_times({100, timing_of(100, 100, 100, 1000), ""},
                                            {110, timing_of(110, 110, 110, 900), ""});
  EXPECT_EQ(verdict.significance, Significance::unknown);
  EXPECT_THAT(verdict.sentence, HasSubstr("clocks of 1000 and 900 MHz"));
}

}  // namespace
}  // namespace warpscope
