// tests/engine/selftest_test.cpp: the judgement on counters whose values are known.
#include "profiling/engine/measure/selftest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace warpscope {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::vector<KnownCount> kKnown = {{"inst.ffma", 1000}, {"l1.sectors_load", 4000}};

SelfTest judged(double ffma, double sectors) {
  return judge_counters({{"l1.sectors_load", sectors}, {"inst.ffma", ffma}}, kKnown);
}

TEST(JudgeCounters, AcceptsWhatIsWithin2PercentInAnyOrder) {
  EXPECT_TRUE(judged(1000, 4000).passed);
  EXPECT_TRUE(judged(1019, 3925).passed);
}

TEST(JudgeCounters, RefusesWhatIsMoreThan2PercentOffOnEitherSide) {
  EXPECT_FALSE(judged(1021, 4000).passed);
  EXPECT_FALSE(judged(979, 4000).passed);
}

TEST(JudgeCounters, RefusesZeroAndNotANumber) {
  EXPECT_FALSE(judged(0, 4000).passed);
  EXPECT_FALSE(judged(1000, std::numeric_limits<double>::quiet_NaN()).passed);
}

TEST(JudgeCounters, NamesEveryCounterThatIsOffAndNoOther) {
  EXPECT_THAT(judged(500, 4000).sentence, HasSubstr("inst.ffma"));
  EXPECT_THAT(judged(500, 4000).sentence, Not(HasSubstr("l1.sectors_load")));
  EXPECT_THAT(judged(500, 1).sentence, HasSubstr("inst.ffma"));
  EXPECT_THAT(judged(500, 1).sentence, HasSubstr("l1.sectors_load"));
}

TEST(JudgeCounters, GivesTheReasonOfACounterWithoutAValue) {
  const SelfTest test =
      judge_counters({{"inst.ffma", std::nullopt, Origin::measured, "GH100 has no counter x", ""},
                      {"l1.sectors_load", 4000}},
                     kKnown);
  EXPECT_FALSE(test.passed);
  EXPECT_THAT(test.sentence, HasSubstr("GH100 has no counter x"));
}

TEST(JudgeCounters, RefusesACounterThatWasNotCollected) {
  EXPECT_FALSE(judge_counters({{"inst.ffma", 1000}}, kKnown).passed);
}

}  // namespace
}  // namespace warpscope
