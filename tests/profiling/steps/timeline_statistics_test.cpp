// tests/profiling/steps/timeline_statistics_test.cpp: a timeline as a table.
#include "profiling/steps/timeline_statistics.h"

#include <gtest/gtest.h>

namespace warpscope {
namespace {

TimelineActivity activity(const char* kind, const char* name, double start, double end) {
  TimelineActivity a;
  a.kind = kind;
  a.name = name;
  a.start_ns = start;
  a.end_ns = end;
  return a;
}

Timeline two_runs() {
  Timeline t;
  t.activities = {activity("memset", "memset", 0, 10), activity("kernel", "multiply", 20, 120),
                  activity("memset", "memset", 200, 230), activity("kernel", "multiply", 240, 300),
                  activity("kernel", "memset", 300, 400)};
  t.ranges = {{"csrmm/rows run 1", 0, 40, 0},
              {"clear", 0, 10, 1},
              {"csrmm/rows run 12", 50, 110, 0},
              {"clear", 50, 60, 1},
              {"long run x", 0, 1, 1}};
  return t;
}

TEST(TimelineStatistics, CountAndAddUpWhatHasOneName) {
  const auto rows = statistics_of(two_runs());
  ASSERT_EQ(rows.size(), 6u);
  EXPECT_EQ(rows[0].name, "multiply");
  EXPECT_EQ(rows[0].calls, 2);
  EXPECT_EQ(rows[0].total_ns, 160);
  EXPECT_EQ(rows[0].mean_ns(), 80);
  EXPECT_EQ(rows[0].shortest_ns, 60);
  EXPECT_EQ(rows[0].longest_ns, 100);
  EXPECT_NEAR(rows[0].share_ratio, 160.0 / 300, 1e-12);
  EXPECT_EQ(rows[1].kind, "kernel") << "a kernel called memset is not a memset";
  EXPECT_EQ(rows[2].kind, "memset");
  EXPECT_EQ(rows[2].calls, 2);
}

TEST(TimelineStatistics, PutRangesOfSeveralRunsTogether) {
  const auto rows = statistics_of(two_runs());
  EXPECT_TRUE(rows[3].on_host);
  EXPECT_EQ(rows[3].name, "csrmm/rows");
  EXPECT_EQ(rows[3].calls, 2);
  EXPECT_EQ(rows[3].share_ratio, 1) << "of the outermost ranges";
  EXPECT_EQ(rows[4].name, "clear");
  EXPECT_NEAR(rows[4].share_ratio, 0.2, 1e-12);
  EXPECT_EQ(rows[5].name, "long run x") << "only a number is one of a run";
}

TEST(TimelineStatistics, ShareWhatRunsAtOnceByTheTimeInWhichAnythingRan) {
  Timeline t;  // two of "a" cross, "b" runs beside them and on its own; 20 of 100 nothing runs
  t.activities = {activity("kernel", "a", 0, 40), activity("kernel", "b", 20, 60),
                  activity("kernel", "a", 30, 50), activity("kernel", "b", 80, 100)};
  const auto rows = statistics_of(t);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].total_ns, 60);
  EXPECT_EQ(rows[1].total_ns, 60) << "a total is of all calls, whatever ran beside them";
  EXPECT_EQ(rows[0].share_ratio, 50.0 / 80);
  EXPECT_EQ(rows[1].share_ratio, 60.0 / 80);
}

TEST(TimelineStatistics, CountCoveredTimeOnce) {
  EXPECT_EQ(covered_ns({}), 0);
  EXPECT_EQ(covered_ns({{10, 20}, {0, 5}}), 15);
  EXPECT_EQ(covered_ns({{0, 100}, {10, 20}, {90, 120}}), 120) << "one inside another, one across";
}

TEST(TimelineStatistics, OfAnEmptyCaptureAreNone) { EXPECT_TRUE(statistics_of({}).empty()); }

// 0–10, 20–120, 200–230, 240–400: 10 + 100 + 30 + 160 of 400 busy, with gaps of 10, 80 and 10.
TEST(DeviceUse, FindsGapsAndTheTimeInWhichAnythingRan) {
  const DeviceUse use = device_use_of(two_runs(), -1e9, 1e9);
  EXPECT_EQ(use.activities, 5);
  EXPECT_EQ(use.start_ns, 0);
  EXPECT_EQ(use.end_ns, 400);
  EXPECT_EQ(use.busy_ns, 300);
  ASSERT_EQ(use.gaps.size(), 3u);
  EXPECT_EQ(use.gaps[0].ns(), 80);
  EXPECT_EQ(use.gaps[0].after, "multiply");
  EXPECT_EQ(use.gaps[0].before, "memset");
  EXPECT_EQ(to_text(use), "75.00 % of 400.0 ns busy; 3 gaps, the longest 80.00 ns before memset");
}

// Between 50 and 210 lie 70 of the kernel and 10 of the second memset.
TEST(DeviceUse, CutsWhatCrossesTheEndsOfTheRange) {
  const DeviceUse use = device_use_of(two_runs(), 50, 210);
  EXPECT_EQ(use.activities, 2);
  EXPECT_EQ(use.busy_ns, 80);
  EXPECT_EQ(use.end_ns - use.start_ns, 160);
  ASSERT_EQ(use.gaps.size(), 1u);
  const auto rows = statistics_of(cut_out(two_runs(), 50, 210));
  EXPECT_EQ(rows[0].total_ns, 70);
}

TEST(DeviceUse, CountsWhatOverlapsOnceAndIsEmptyWhereNothingRan) {
  Timeline t;
  t.activities = {activity("kernel", "a", 0, 100), activity("kernel", "b", 10, 20),
                  activity("kernel", "c", 90, 130)};
  const DeviceUse use = device_use_of(t, 0, 1000);
  EXPECT_EQ(use.busy_ns, 130);
  EXPECT_EQ(to_text(use), "100.0 % of 130.0 ns busy, without a gap");
  EXPECT_EQ(to_text(device_use_of(t, 200, 300)), "");
}

}  // namespace
}  // namespace warpscope
