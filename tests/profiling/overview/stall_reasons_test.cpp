// tests/profiling/overview/stall_reasons_test.cpp: stall reasons add up, by group and in all.
#include "profiling/overview/stall_reasons.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "profiling/session/session.h"
#include "tests/recorded_session.h"

namespace warpscope {
namespace {

using testing::HasSubstr;

TEST(StallReasons, AreThoseOfTheTableOfMetricsEachOnce) {
  std::set<std::string> ours, metrics;
  for (const StallReason& reason : all_stall_reasons()) {
    EXPECT_TRUE(ours.insert(reason.id).second) << reason.id;
    EXPECT_STRNE(reason.sentence, "");
  }
  for (const Metric& metric : all_metrics()) {
    if (metric.id.starts_with("stall.")) metrics.insert(metric.id);
  }
  EXPECT_EQ(ours, metrics);
  EXPECT_EQ(ours.size(), 18u);
}

TEST(StallReasons, StandInGroupsOneAfterTheOther) {
  int group = 0;
  for (const StallReason& reason : all_stall_reasons()) {
    EXPECT_GE(static_cast<int>(reason.group), group) << reason.id;
    group = static_cast<int>(reason.group);
  }
  EXPECT_EQ(group, kStallGroups - 1);
}

TEST(Stalls, AddUpByGroup) {
  std::vector<MetricValue> metrics;
  double value = 1;
  for (const StallReason& reason : all_stall_reasons()) metrics.push_back({reason.id, value++});
  const auto stalls = stalls_of(metrics, 16);
  ASSERT_TRUE(stalls);
  EXPECT_DOUBLE_EQ(stalls->counted, 18 * 19 / 2);
  EXPECT_DOUBLE_EQ(stalls->all(), stalls->counted) << "nothing is uncounted";
  EXPECT_FALSE(stalls->others);
  double sum = 0;
  for (int group = 0; group < kStallGroups; ++group)
    sum += stalls->of(static_cast<StallGroup>(group));
  EXPECT_DOUBLE_EQ(sum, stalls->counted);
  EXPECT_DOUBLE_EQ(stalls->of(StallGroup::memory), 1 + 2 + 3 + 4 + 5 + 6 + 7);
  EXPECT_STREQ(stalls->largest()->reason->id, "stall.misc");
}

// A scheduler that has 8 of its 16 warps (50 %) and issues every fourth cycle (25 %) needs 8 / 0.25
// = 32 warp cycles per instruction. One of them is the issue; 20 are counted as waiting; 11 remain.
TEST(Stalls, OfReasonsThatWereNotCountedFollowFromOccupancyAndIssueRate) {
  std::vector<MetricValue> metrics = {{"stall.long_scoreboard", 15.0},
                                      {"stall.short_scoreboard", 3.0},
                                      {"stall.wait", 2.0},
                                      {"occupancy.achieved", 50.0},
                                      {"issue.active", 25.0}};
  const auto stalls = stalls_of(metrics, 16);
  ASSERT_TRUE(stalls);
  ASSERT_TRUE(stalls->others);
  EXPECT_DOUBLE_EQ(*stalls->others, 11);
  EXPECT_EQ(stalls->uncounted.size(), 15u);
  EXPECT_THAT(stall_sentence(*stalls),
              HasSubstr("“global memory”: 15 of 31 waiting cycles per instruction (48.39 %)"));
  metrics.pop_back();
  EXPECT_FALSE(stalls_of(metrics, 16)->others);
  metrics.erase(metrics.begin(), metrics.begin() + 3);
  EXPECT_FALSE(stalls_of(metrics, 16)) << "no reason was counted";
}

TEST(Stalls, ASchedulerHolds16WarpsOnAnH200And12OnALaptopCard) {
  EXPECT_DOUBLE_EQ(scheduler_warps(90), 16);
  EXPECT_DOUBLE_EQ(scheduler_warps(86), 12);
  EXPECT_DOUBLE_EQ(scheduler_warps(75), 8);
}

// Where a session has all 18, their sum and the issue itself are as many warps as occupancy and
// issue rate say. The counters of different passes are of different runs.
TEST(Stalls, OfARecordedSessionAgreeWithOccupancyAndIssueRate) {
  const Result<SessionReading> reading = read_session(recorded_session("patterns"));
  ASSERT_TRUE(reading) << sentence(reading.error());
  int whole = 0, near = 0;
  for (const Measurement* point : reading->session.newest_points()) {
    const auto stalls = stalls_of(point->metrics, 16);
    const auto occupancy = value_of(point->metrics, "occupancy.achieved"),
               issue = value_of(point->metrics, "issue.active");
    if (!stalls || !stalls->uncounted.empty() || !occupancy || !issue || *issue <= 0) continue;
    ++whole;
    const double cycles = *occupancy * 16 / *issue;
    near += stalls->counted + 1 > 0.85 * cycles && stalls->counted + 1 < 1.05 * cycles ? 1 : 0;
  }
  EXPECT_GE(whole, 20);
  EXPECT_GE(near, whole * 9 / 10) << "of " << whole;
}

}  // namespace
}  // namespace warpscope
