// tests/workbench/panels/timeline_search_test.cpp: Timeline finds bars by name, zooms to one, and
// shows several captures on one scale.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "profiling/steps/timeline_statistics.h"
#include "tests/workbench/window/null_window.h"
#include "tests/workbench/workspace/sample_session.h"

namespace warpscope {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TimelineActivity kernel(const char* name, double start_us, double end_us) {
  TimelineActivity a;
  a.kind = "kernel";
  a.name = name;
  a.start_ns = start_us * 1e3;
  a.end_ns = end_us * 1e3;
  a.stream = 7;
  return a;
}

Timeline captured(const std::string& variant, std::int64_t n = 128) {
  Timeline timeline = sample::timeline(variant, n);
  timeline.activities = {kernel("Transpose_b", 10, 20), kernel("multiply", 20, 90),
                         kernel("transpose_a", 100, 110)};
  return timeline;
}

std::unique_ptr<Workspace> session(std::vector<Message> more = {}) {
  more.insert(more.begin(), {sample::correct(sample::focus, 120e3), captured(sample::focus)});
  return sample::recorded(more);
}

TEST(TimelineSearch, FindsNamesWhateverTheirCaseInOrderOfTime) {
  Timeline timeline = captured(sample::focus);
  std::swap(timeline.activities[0], timeline.activities[2]);
  EXPECT_THAT(activities_with(timeline, "transpose"), ElementsAre(2, 0));
  EXPECT_THAT(activities_with(timeline, "MULTI"), ElementsAre(1));
  EXPECT_THAT(activities_with(timeline, "nothing"), IsEmpty());
  EXPECT_THAT(activities_with(timeline, ""), IsEmpty());
}

TEST(TimelineSearch, SaysHowManyBarsHaveTheWords) {
  NullWindow window;
  auto workspace = session();
  std::strcpy(window.panels.timeline.filter.text, "transpose");
  EXPECT_THAT(window.panel(*workspace, "timeline"), HasSubstr("2"));
  std::strcpy(window.panels.timeline.filter.text, "no such kernel");
  EXPECT_THAT(window.panel(*workspace, "timeline"), HasSubstr("none"));
  // What compares figures is of the table.
  std::strcpy(window.panels.timeline.filter.text, "> 5");
  EXPECT_THAT(window.panel(*workspace, "timeline"), Not(HasSubstr("none")));
}

TEST(TimelineSearch, AClickedBarHasAButtonThatZoomsToIt) {
  NullWindow window;
  auto workspace = session();
  EXPECT_THAT(window.panel(*workspace, "timeline"), Not(HasSubstr("zoom to it")));
  window.panels.timeline.chosen = 1;
  EXPECT_THAT(window.panel(*workspace, "timeline"),
              AllOf(HasSubstr("zoom to it"), HasSubstr("kernel, 70.00 µs")));
}

TEST(TimelineSearch, OtherCapturesAreBelowOnTheSameScale) {
  NullWindow window(1280, 900);
  auto workspace = session({captured(sample::baseline), captured(sample::focus, 256)});
  window.panel(*workspace, "timeline");
  TimelinePanel& state = window.panels.timeline;
  state.beside = {{sample::baseline, sample::key_of(sample::baseline, 128)},
                  {sample::focus, sample::key_at_n(256)},
                  {sample::focus, "of a session that is gone"}};
  const std::string all = window.panel(*workspace, "timeline");
  EXPECT_EQ(state.beside_lanes.size(), 2u);
  for (const auto& [key, lanes] : state.beside_lanes)
    EXPECT_EQ(lanes.lane_of.size(), 3u) << key.second;
  // A bar of the last one is under the pointer too, though it is not of the selection.
  EXPECT_THAT(window.panel_under(*workspace, "timeline", "kernel, 10.00 µs"),
              HasSubstr("kernel, 10.00 µs"));
  EXPECT_EQ(state.chosen, -1);
  // The next capture that is shown has its own.
  workspace->selection.axes.set("n", std::int64_t{256});
  workspace->update();
  window.panel(*workspace, "timeline");
  EXPECT_EQ(state.beside_lanes.count({sample::focus, sample::key_at_n(256)}), 0u);
}

}  // namespace
}  // namespace warpscope
