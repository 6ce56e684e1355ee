// tests/engine/graph_times_test.cpp: a graph's records taken apart by hand-made ones.
#include "profiling/engine/measure/graph_times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TimelineActivity ran(const char* kind, const char* name, double start_ns, double ns,
                     std::int64_t blocks = 1) {
  TimelineActivity activity{kind, name, start_ns, start_ns + ns};
  activity.launch.grid.x = blocks;
  return activity;
}

// Three replays of a memset and a kernel (one step) and a kernel (another), with gaps between.
std::vector<TimelineActivity> three_replays() {
  std::vector<TimelineActivity> all;
  for (const double start : {5000.0, 0.0, 10000.0}) {
    all.push_back(ran("kernel", "second", start + 400, 50 + start / 1000));
    all.push_back(ran("memset", "memset", start, 10));
    all.push_back(ran("kernel", "first", start + 100, 200));
  }
  sort_by_start(all);
  return all;
}

TEST(GraphTimes, AStepTakesTheMedianOfTheTimesOfItsNodes) {
  const Result<std::vector<double>> times = step_times(three_replays(), {2, 1}, 3);
  ASSERT_TRUE(times) << sentence(times.error());
  EXPECT_THAT(*times, ElementsAre(210, 55));
}

TEST(GraphTimes, AStepWithoutNodesTakesNoTime) {
  const Result<std::vector<double>> times = step_times(three_replays(), {2, 0, 1}, 3);
  ASSERT_TRUE(times);
  EXPECT_THAT(*times, ElementsAre(210, 0, 55));
}

TEST(GraphTimes, RecordsThatAreNotTheGraphsNodesGiveNoTimes) {
  std::vector<TimelineActivity> fewer = three_replays();
  fewer.pop_back();
  const Result<std::vector<double>> times = step_times(fewer, {2, 1}, 3);
  ASSERT_FALSE(times);
  EXPECT_THAT(times.error().what, HasSubstr("recorded 8 nodes of 3 replays, the graph has 3"));
  EXPECT_FALSE(step_times({}, {2, 1}, 3));
}

TEST(GraphTimes, AGraphIsItsStepsWhereItsKernelsAreTheSame) {
  const std::vector<TimelineActivity> graph = {ran("kernel", "a", 0, 1, 4),
                                               ran("kernel", "b", 5, 1, 2)};
  // A copy that restores a state is not a launch of the steps.
  std::vector<TimelineActivity> same = {ran("kernel", "b", 50, 1, 2), ran("kernel", "a", 30, 1, 4),
                                        ran("memcpy", "copy", 20, 1)};
  sort_by_start(same);
  EXPECT_EQ(launches_differ(same, graph), std::nullopt);
  EXPECT_THAT(*launches_differ({same[1]}, graph),
              HasSubstr("a stream launches 1 kernels, the graph 2"));
  EXPECT_THAT(*launches_differ({ran("kernel", "a", 0, 1, 4), ran("kernel", "c", 5, 1, 2)}, graph),
              HasSubstr("kernel 2 of a run is c on a stream and b in the graph"));
  EXPECT_THAT(*launches_differ({ran("kernel", "a", 0, 1, 3), ran("kernel", "b", 5, 1, 2)}, graph),
              HasSubstr("a grid of 3×1×1 blocks"));
}

// With two branches, a step aside may begin before or after its place among the steps.
TEST(GraphTimes, RecordsOfBranchesComeInTheOrderOfTheSteps) {
  const std::vector<TimelineActivity> on_stream = {
      ran("memcpy", "restored", 0, 1), ran("kernel", "a", 10, 5, 4), ran("kernel", "aside", 20, 5),
      ran("kernel", "a", 30, 5, 8), ran("kernel", "aside", 40, 5)};
  std::vector<TimelineActivity> replayed;
  for (const double start : {100.0, 200.0}) {
    replayed.push_back(ran("kernel", "a", start, 40, 4));
    replayed.push_back(ran("kernel", "a", start + 41, 20, 8));
    replayed.push_back(ran("kernel", "aside", start + 42, 7));
    replayed.push_back(ran("kernel", "aside", start + 52, 9));
  }
  const std::vector<TimelineActivity> ordered = in_order_of(on_stream, replayed, 2);
  EXPECT_THAT(*step_times(ordered, {1, 1, 1, 1}, 2), ElementsAre(40, 7, 20, 9));
  const std::vector<TimelineActivity> first(ordered.begin(), ordered.begin() + 4);
  EXPECT_EQ(launches_differ(on_stream, first), std::nullopt);
  // A launch that a stream has nothing like is told from those that it has.
  replayed[2].name = "another";
  const std::vector<TimelineActivity> other = in_order_of(on_stream, replayed, 2);
  EXPECT_THAT(*launches_differ(on_stream, {other.begin(), other.begin() + 4}),
              HasSubstr("is aside on a stream"));
}

}  // namespace
}  // namespace warpscope
