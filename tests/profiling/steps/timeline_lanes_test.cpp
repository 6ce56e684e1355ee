// tests/profiling/steps/timeline_lanes_test.cpp: what ran at once stands in lanes of its own.
#include "profiling/steps/timeline_lanes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpscope {
namespace {

using testing::ElementsAre;

TimelineActivity activity(double start_us, double end_us, std::int64_t stream = 13,
                          const char* kind = "kernel") {
  TimelineActivity a;
  a.kind = kind;
  a.start_ns = start_us * 1e3;
  a.end_ns = end_us * 1e3;
  a.stream = stream;
  return a;
}

TimelineLanes lanes_of_these(std::vector<TimelineActivity> activities) {
  Timeline timeline;
  timeline.activities = std::move(activities);
  return lanes_of(timeline);
}

std::vector<std::string> names_of(const TimelineLanes& lanes) {
  std::vector<std::string> names;
  for (const TimelineLane& lane : lanes.lanes) names.push_back(lane_name(lanes, lane));
  return names;
}

TEST(TimelineLanes, WhatFollowsStandsInOneLane) {
  const TimelineLanes lanes = lanes_of_these({activity(0, 10), activity(10, 20), activity(25, 30)});
  EXPECT_THAT(lanes.lane_of, ElementsAre(0, 0, 0));
  EXPECT_THAT(names_of(lanes), ElementsAre("kernels"));
}

TEST(TimelineLanes, WhatOverlapsTheOneBeforeStandsInTheNextLane) {
  const TimelineLanes lanes =
      lanes_of_these({activity(0, 10), activity(4, 8), activity(10, 30), activity(12, 14)});
  EXPECT_THAT(lanes.lane_of, ElementsAre(0, 1, 0, 1));
  EXPECT_THAT(names_of(lanes), ElementsAre("kernels", "kernels, beside the lane above"));
}

TEST(TimelineLanes, TheFirstLaneThatIsFreeTakesIt) {
  // Among three concurrent activities one ends first: its lane takes the fourth.
  const TimelineLanes lanes =
      lanes_of_these({activity(0, 100), activity(1, 50), activity(2, 40), activity(60, 70)});
  EXPECT_THAT(lanes.lane_of, ElementsAre(0, 1, 2, 1));
}

TEST(TimelineLanes, TheLongerChainIsAboveThoughItBeganLater) {
  const TimelineLanes lanes = lanes_of_these({activity(0, 5), activity(2, 90), activity(6, 9)});
  EXPECT_THAT(lanes.lane_of, ElementsAre(1, 0, 1));
  EXPECT_EQ(lanes.lanes[0].busy_ns, 88e3);
  EXPECT_EQ(lanes.lanes[0].beside, 0);
  EXPECT_EQ(lanes.lanes[1].beside, 1);
}

TEST(TimelineLanes, NeighboursWhoseTimesBarelyCrossFollow) {
  const double step = kNeighbourNs / 1e3;
  EXPECT_THAT(lanes_of_these({activity(0, 10), activity(10 - step, 20)}).lane_of,
              ElementsAre(0, 0));
  EXPECT_EQ(lanes_of_these({activity(0, 10), activity(10 - 2 * step, 20)}).lanes.size(), 2u);
  EXPECT_EQ(lanes_of_these({activity(0, 10), activity(10 - step, 9.9)}).lanes.size(), 2u)
      << "a short one ended before the first did";
}

TEST(TimelineLanes, OfTwoThatItBarelyCrossesItFollowsTheOneThatItCrossesLess) {
  const TimelineLanes lanes =
      lanes_of_these({activity(0, 60.6), activity(10, 60.1), activity(60, 90), activity(91, 95)});
  EXPECT_THAT(lanes.lane_of, ElementsAre(1, 0, 0, 1)) << "the busier of the two is above";
}

TEST(TimelineLanes, EachStreamHasItsOwnTheBusiestAbove) {
  const TimelineLanes lanes = lanes_of_these(
      {activity(0, 5, 13), activity(6, 60, 1031), activity(70, 80, 13), activity(80, 90, 1031)});
  EXPECT_THAT(lanes.lane_of, ElementsAre(1, 0, 1, 0));
  EXPECT_THAT(names_of(lanes), ElementsAre("kernels of stream 1031", "kernels of stream 13"));
  EXPECT_EQ(short_lane_name(lanes, lanes.lanes[0]), "stream 1031");
}

TimelineActivity node(double start_us, double end_us, std::int64_t stream) {
  TimelineActivity a = activity(start_us, end_us, stream);
  a.graph_node = 1;
  return a;
}

// As the autoencoder's step with two branches: the driver moves a branch from stream to stream.
TEST(TimelineLanes, BranchesOfAGraphAreTwoLanesOnHoweverManyStreamsTheyRan) {
  const TimelineLanes lanes =
      lanes_of_these({node(0, 5, 13), node(10, 30, 1031), node(20, 24, 13), node(25, 50, 1032),
                      node(31, 60, 1034), node(49.3, 70, 1031), node(60, 90, 1036)});
  EXPECT_THAT(lanes.lane_of, ElementsAre(0, 0, 1, 1, 0, 1, 0));
  EXPECT_EQ(short_lane_name(lanes, lanes.lanes[0]), "kernels");
  EXPECT_EQ(short_lane_name(lanes, lanes.lanes[1]), "beside it");
}

TEST(TimelineLanes, AGraphIsApartFromWhatAStreamRan) {
  const TimelineLanes lanes = lanes_of_these({activity(0, 5, 13), node(10, 30, 13)});
  EXPECT_THAT(names_of(lanes), ElementsAre("kernels of the graph", "kernels of stream 13"));
  EXPECT_EQ(short_lane_name(lanes, lanes.lanes[0]), "graph");
}

TEST(TimelineLanes, CopiesStandBelowAllKernels) {
  const TimelineLanes lanes = lanes_of_these({activity(0, 100, 7, "memcpy"), activity(0, 5, 8),
                                              activity(5, 9, 7), activity(6, 8, 8, "memset")});
  EXPECT_THAT(names_of(lanes),
              ElementsAre("kernels of stream 8", "kernels of stream 7",
                          "copies and memsets of stream 7", "copies and memsets of stream 8"));
  EXPECT_THAT(lanes.lane_of, ElementsAre(2, 0, 1, 3));
}

TEST(TimelineLanes, TakesActivitiesInAnyOrder) {
  EXPECT_THAT(lanes_of_these({activity(4, 8), activity(10, 30), activity(0, 10)}).lane_of,
              ElementsAre(1, 0, 0));
}

TEST(TimelineLanes, OfAnEmptyCaptureAreNone) {
  EXPECT_TRUE(lanes_of({}).lanes.empty());
  EXPECT_TRUE(lanes_of({}).lane_of.empty());
}

}  // namespace
}  // namespace warpscope
