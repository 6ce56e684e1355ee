// tests/workbench/workspace/workspace_words_test.cpp: texts refer to one device and to today's
// sources.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/recorded_session.h"
#include "tests/workbench/workspace/sample_session.h"

namespace warpscope {
namespace {

using testing::HasSubstr;

Measurement on(const char* uuid, const std::string& variant, double warm_ns, std::int64_t n) {
  Measurement m = sample::correct(variant, warm_ns, n);
  m.conditions.device_uuid = uuid;
  return m;
}
RoofSet roofs_of(const char* uuid) {
  RoofSet set = sample::roofs();
  set.conditions.device_uuid = uuid;
  return set;
}

// Neither of two devices stays chosen: the one with the roofs measured less at n = 128.
std::unique_ptr<Workspace> of_two_devices() {
  auto workspace = sample::recorded({on("GPU-b", sample::focus, 300e3, 128),
                                     on("GPU-b", sample::baseline, 400e3, 128), roofs_of("GPU-b"),
                                     roofs_of("GPU-a"), on("GPU-a", sample::focus, 100e3, 128),
                                     on("GPU-b", sample::focus, 500e3, 256)});
  workspace->selection.device.clear();
  return workspace;
}

TEST(WorkspaceWords, AreOfTheDeviceThatIsShown) {
  const auto workspace = of_two_devices();
  const std::string text = "{time.warm:float4_columns}";
  ASSERT_EQ(workspace->view().device(), "GPU-a");
  EXPECT_EQ(workspace->view().words.of(text), "100.0 µs");
  EXPECT_EQ(workspace->view().words.of(text, workspace->selection.axes), "100.0 µs");
  // Where only the other one measured, both are of that.
  workspace->selection.axes = sample::at_n(256);
  ASSERT_EQ(workspace->view().device(), "GPU-b");
  EXPECT_EQ(workspace->view().words.of(text), "500.0 µs");
  workspace->selection.axes = sample::at_n(128);
  EXPECT_EQ(workspace->view().words.of(text, sample::at_n(256)), "500.0 µs");
  workspace->selection.device = "GPU-b";
  EXPECT_EQ(workspace->view().words.of(text, sample::at_n(128)), "300.0 µs");
}

TEST(WorkspaceWords, AndClaimsHaveOneRuleForTheDeviceAtHand) {
  const auto workspace = of_two_devices();
  for (const std::int64_t n : {64, 128, 256}) {
    workspace->selection.axes = sample::at_n(n);
    EXPECT_EQ(device_at_hand({&workspace->scene(), &workspace->session(), sample::at_n(n)}),
              workspace->view().device())
        << "n = " << n;
  }
  const auto of_one = sample::recorded({on("GPU-c", sample::focus, 100e3, 128)});
  EXPECT_EQ(device_at_hand({&of_one->scene(), &of_one->session(), sample::at_n(256)}), "GPU-c");
}

// What an engine says of its libraries reached the heading of a panel and no claim.
TEST(WorkspaceWords, KnowTheVersionsOfTheEnginesLibraries) {
  const auto recording = read_session(recorded_session("csrmm"));
  ASSERT_TRUE(recording);
  const auto points = recording->session.points("csrmm", "cusparse_alg3");
  const auto sourced = std::find_if(points.begin(), points.end(), [](const Measurement* point) {
    return !point->conditions.code_id.empty() && point->warm;
  });
  ASSERT_NE(sourced, points.end());
  const std::string text = "[[cusparse_alg3.time.warm > 0 ns => measured | never || {why}]]";
  const auto without = sample::recorded({**sourced});
  without->selection.axes = (*sourced)->axes;
  EXPECT_EQ(without->view().words.of(text), "measured") << "nobody says which version is here";
  const auto workspace = sample::measuring("libraries");
  workspace->update();
  ASSERT_TRUE(workspace->open(recorded_session("csrmm")));
  workspace->selection.axes = (*sourced)->axes;
  EXPECT_THAT(workspace->view().words.of(text), HasSubstr("measured with an earlier source"));
  EXPECT_THAT(workspace->view().state("cusparse_alg3").apart, HasSubstr("earlier source"));
}

// Plots draw the journal's path by its points, and do not wait for the figures in its sentences.
TEST(WorkspaceWords, AreFilledInTheArticlesJournalAloneWhereTheyAreRead) {
  Workspace workspace({});
  ASSERT_TRUE(workspace.open(recorded_session("csrmm")));
  const SceneJournals& journals = workspace.view().journals;
  ASSERT_FALSE(journals.empty());
  const std::vector<JournalEntry>&open = journals.shipped_unfilled(), &filled = journals.shipped();
  ASSERT_EQ(open.size(), filled.size());
  int braces = 0, timed = 0;
  for (std::size_t k = 0; k < open.size(); ++k) {
    EXPECT_EQ(open[k].iteration.number, filled[k].iteration.number);
    EXPECT_EQ(open[k].time_ns, filled[k].time_ns);
    timed += open[k].time_ns.has_value();
    braces += open[k].iteration.verdict.find('{') != std::string::npos;
    EXPECT_EQ(filled[k].iteration.verdict.find('{'), std::string::npos);
  }
  EXPECT_GT(braces, 0);
  EXPECT_GT(timed, 0);
}

TEST(WorkspaceWords, OfASceneWithoutAJournalAreNone) {
  Workspace workspace({});
  ASSERT_TRUE(workspace.open(recorded_session("patterns")));
  EXPECT_TRUE(workspace.view().journals.empty());
  EXPECT_TRUE(workspace.view().journals.shipped().empty());
}

}  // namespace
}  // namespace warpscope
