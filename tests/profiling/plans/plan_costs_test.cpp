// tests/profiling/plans/plan_costs_test.cpp: expected times are means of what lies between points.
#include "profiling/plans/plan_costs.h"

#include <gtest/gtest.h>

#include "tests/profiling/plans/session_lines.h"

namespace warpscope {
namespace {

using Basis = PointCost::Basis;

TEST_F(SessionLines, TellWhatAPointTakes) {
  // 10:00:00 hello, then points of a at :02 and :05, of b at :06; with counters a at :16.
  Recording file = recording("a.wsj");
  file.hello("2026-11-29T10:00:00Z");
  file.point("a", 1, "2026-11-29T10:00:02Z");
  file.point("a", 2, "2026-11-29T10:00:05Z");
  file.point("b", 1, "2026-11-29T10:00:06Z");
  file.point("a", 1, "2026-11-29T10:00:16Z", {.counters = "standard"});
  RecordedCosts costs;
  ASSERT_TRUE(costs.read(file.path()));
  EXPECT_EQ(costs.points(), 4);
  EXPECT_DOUBLE_EQ(costs.of("csrmm", "a", false)->seconds, 2.5);
  EXPECT_DOUBLE_EQ(costs.of("csrmm", "a", true)->seconds, 10);
  EXPECT_DOUBLE_EQ(costs.of("csrmm", "b", false)->seconds, 1);
  EXPECT_EQ(costs.of("csrmm", "b", true)->basis, Basis::other_counters);
  // c was not recorded: the mean of all without counters, 6 s in 3 points.
  EXPECT_EQ(costs.of("csrmm", "c", false)->basis, Basis::other_variants);
  EXPECT_DOUBLE_EQ(costs.of("csrmm", "c", false)->seconds, 2);
  EXPECT_FALSE(costs.of("led", "a", false));
  EXPECT_EQ(costs.least_time_limit_s(), 0.5);
}

TEST_F(SessionLines, CountNeitherBreaksNorWhatAnotherDeviceTook) {
  Recording file = recording("a.wsj");
  file.hello("2026-11-29T10:00:00Z", "GPU-1");
  file.hello("2026-11-29T10:00:01Z", "GPU-2");
  file.point("a", 1, "2026-11-29T10:00:04Z", {.uuid = "GPU-1"});  // 4 s
  file.point("a", 2, "2026-11-29T10:00:07Z", {.uuid = "GPU-2"});  // 6 s
  file.point("a", 3, "2026-11-29T18:00:00Z", {.uuid = "GPU-1"});  // after lunch
  file.point("a", 4, "2026-11-29T18:00:02Z", {.uuid = "GPU-1"});  // 2 s
  RecordedCosts costs;
  ASSERT_TRUE(costs.read(file.path()));
  EXPECT_EQ(costs.points(), 3);
  EXPECT_DOUBLE_EQ(costs.of("csrmm", "a", false)->seconds, 4);
}

TEST(Dates, AreSecondsOrNoValue) {
  EXPECT_EQ(seconds_of_date("1970-01-02T00:00:01Z"), 86401);
  for (const char* wrong : {"", "yesterday", "2026-11-29", "2026-11-29T10:00:00Z+1"})
    EXPECT_FALSE(seconds_of_date(wrong)) << wrong;
}

}  // namespace
}  // namespace warpscope
