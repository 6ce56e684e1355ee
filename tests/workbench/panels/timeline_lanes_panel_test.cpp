// tests/workbench/panels/timeline_lanes_panel_test.cpp: the Timeline panel's lanes under the
// pointer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenes/catalogue.h"
#include "tests/workbench/window/null_window.h"
#include "tests/workbench/workspace/sample_session.h"

namespace warpscope {
namespace {

using testing::HasSubstr;
using testing::Not;

TimelineActivity kernel(const char* name, double start_us, double end_us, std::int64_t stream) {
  TimelineActivity a;
  a.kind = "kernel";
  a.name = name;
  a.start_ns = start_us * 1e3;
  a.end_ns = end_us * 1e3;
  a.stream = stream;
  return a;
}

std::unique_ptr<Workspace> with(const std::vector<TimelineActivity>& activities) {
  Timeline timeline = sample::timeline(sample::focus);
  timeline.activities = activities;
  return sample::recorded({sample::correct(sample::focus, 120e3), timeline});
}

std::string under(Workspace& workspace, const std::string& words) {
  NullWindow window;
  return window.panel_under(workspace, "timeline", words);
}

TEST(TimelineLanesPanel, NamesTheStreamsAtTheirLanes) {
  auto workspace = with({kernel("one", 100, 200, 7), kernel("other", 120, 180, 9)});
  EXPECT_THAT(under(*workspace, "kernels of stream 7"), HasSubstr("100.0 µs in all"));
  EXPECT_THAT(under(*workspace, "kernels of stream 9"), HasSubstr("60.00 µs in all"));
}

TEST(TimelineLanesPanel, ShowsWhatRanBesideAnotherOnOneStream) {
  // Drawn in one lane the first would cover the second but for an end that the pointer finds.
  auto workspace = with({kernel("long", 100, 300, 7), kernel("short", 150, 200, 7)});
  EXPECT_THAT(under(*workspace, "beside the lane above"), HasSubstr("50.00 µs in all"));
  const std::string bar = under(*workspace, "short");
  EXPECT_THAT(bar, HasSubstr("kernel, 50.00 µs, stream 7"));
  EXPECT_THAT(bar, Not(HasSubstr("\nlong\n")));
}

TEST(TimelineLanesPanel, SaysOfANodeThatAGraphRanIt) {
  TimelineActivity node = kernel("node", 100, 300, 1031);
  node.graph_node = 1;
  auto workspace = with({node});
  EXPECT_THAT(under(*workspace, "kernel, 200"), HasSubstr("stream 1031, node of a graph"));
}

TEST(TimelineLanesPanel, FollowsTheCaptureThatIsShown) {
  NullWindow window;  // one panel, whose lanes are those of the capture before
  auto first = with({kernel("one", 100, 200, 7), kernel("other", 120, 180, 9)});
  window.panel(*first, "timeline");
  auto next = with({kernel("alone", 100, 200, 7)});
  EXPECT_THAT(window.panel_under(*next, "timeline", "kernels, "), HasSubstr("100.0 µs in all"));
}

// One way out where the selection has no timeline, however many the recording has.
TEST(TimelineLanesPanel, OffersTheNearestOfManyTimelinesByOneButton) {
  std::vector<Message> session = {sample::correct(sample::focus, 120e3)};
  const Scene& scene = *built_in_catalogue().find("csrmm").value();
  for (const Variant& variant : scene.variants) {
    for (const std::int64_t n : {32, 64, 128}) {
      if (variant.name != sample::focus || n != 128)
        session.emplace_back(sample::timeline(variant.name, n));
    }
  }
  ASSERT_GT(session.size(), 60u);
  auto workspace = sample::recorded(session);
  NullWindow window;
  const auto count = [](const std::string& words, const std::string& part) {
    int found = 0;
    for (std::size_t at = words.find(part); at != std::string::npos; at = words.find(part, at + 1))
      ++found;
    return found;
  };
  const std::string words = window.panel(*workspace, "timeline");
  EXPECT_EQ(count(words, "go to "), 1) << words;
  EXPECT_THAT(words, HasSubstr("go to n="));
  for (const Variant& variant : scene.variants) {
    if (variant.name == sample::focus) continue;
    EXPECT_THAT(words, Not(HasSubstr(variant.label))) << "it is not listed";
  }
}

// Another variant has one at the very values that are selected: these need no naming.
TEST(TimelineLanesPanel, NamesOnlyTheVariantWhereNoAxisDiffers) {
  auto workspace =
      sample::recorded({sample::correct(sample::focus, 120e3), sample::timeline(sample::baseline)});
  NullWindow window;
  const std::string words = window.panel(*workspace, "timeline");
  const Scene& scene = workspace->scene();
  EXPECT_THAT(words, HasSubstr("go to " + find_variant(scene, sample::baseline)->label));
  EXPECT_THAT(words, Not(HasSubstr("seed=")));
}

}  // namespace
}  // namespace warpscope
