// tests/workbench/panels/stall_bars_test.cpp: Overview and Metrics have the bars of stall reasons
// that Stalls has, with the same shares.
#include "workbench/panels/stalls/stall_bars.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/recorded_session.h"
#include "tests/workbench/window/drawn_text.h"
#include "tests/workbench/window/null_window.h"
#include "tests/workbench/workspace/sample_session.h"
#include "workbench/panels/figures/metric_groups.h"

namespace warpscope {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kFocus = "transpose_tiled";
constexpr const char* kBaseline = "transpose_naive";

// All 18 reasons were counted for the transposes.
std::unique_ptr<Workspace> transposes(const std::string& focus = kFocus) {
  auto workspace = std::make_unique<Workspace>(std::vector<std::string>{});
  EXPECT_TRUE(workspace->open(recorded_session("patterns")));
  const auto axes =
      with_values(workspace->scene().axes, default_configuration(workspace->scene().axes),
                  {{"op", "transpose"}});
  if (axes) workspace->selection.axes = *axes;
  workspace->selection.variant = focus;
  workspace->update();
  return workspace;
}

// The share of a group among all reasons, of the counters of a point alone.
std::string share_of(const Workspace& workspace, const std::string& variant, StallGroup group) {
  const Measurement* point = workspace.view().state(variant).point;
  if (point == nullptr) return "no point";
  double all = 0, of_group = 0;
  for (const StallReason& reason : all_stall_reasons()) {
    for (const MetricValue& value : point->metrics) {
      if (value.id != reason.id || !value.value) continue;
      all += *value.value;
      of_group += reason.group == group ? *value.value : 0;
    }
  }
  return format_value(of_group / all, "ratio");
}

// What a panel draws, also straight to a draw list, without spaces.
std::vector<std::string> drawn_in(NullWindow& window, Workspace& workspace,
                                  const std::string& panel) {
  window.panel(workspace, panel);
  std::vector<std::string> words;
  for (DrawnText& text : drawn_texts()) {
    std::erase(text.words, ' ');
    words.push_back(text.words);
  }
  return words;
}

std::string memory_piece(const std::string& share) {
  std::string words = "memory" + share;
  std::erase(words, ' ');
  return words;
}

class StallBars : public testing::TestWithParam<const char*> {};

TEST_P(StallBars, AreOfTheFocusAndOfTheBaseline) {
  const auto workspace = transposes();
  NullWindow window(1600, 1400);
  const std::string focus = memory_piece(share_of(*workspace, kFocus, StallGroup::memory)),
                    baseline = memory_piece(share_of(*workspace, kBaseline, StallGroup::memory));
  ASSERT_NE(focus, baseline);
  EXPECT_THAT(drawn_in(window, *workspace, GetParam()), AllOf(Contains(focus), Contains(baseline)));
}

TEST_P(StallBars, OfTheBaselineAreAlone) {
  const auto workspace = transposes(kBaseline);
  NullWindow window(1600, 1400);
  const std::string tiled = memory_piece(share_of(*workspace, kFocus, StallGroup::memory)),
                    naive = memory_piece(share_of(*workspace, kBaseline, StallGroup::memory));
  const std::vector<std::string> drawn = drawn_in(window, *workspace, GetParam());
  EXPECT_EQ(std::count(drawn.begin(), drawn.end(), naive), 1);
  if (std::string_view(GetParam()) == "stalls") return;  // it has the other variants, too
  EXPECT_THAT(drawn, Not(Contains(tiled)));
}

TEST_P(StallBars, ExplainEachReasonUnderThePointer) {
  const auto workspace = transposes(kBaseline);  // whose bar is the first one in each panel
  NullWindow window(1000, 1000);
  const Measurement* point = workspace->view().state(kBaseline).point;
  ASSERT_NE(point, nullptr);
  const std::optional<double> warps = value_of(point->metrics, "stall.short_scoreboard");
  ASSERT_TRUE(warps);
  EXPECT_THAT(window.panel_under(*workspace, GetParam(), "shared memory (memory)"),
              AllOf(HasSubstr("a warp waits " + format_value(*warps, "1") + " cycles for it"),
                    HasSubstr("of all waiting"), HasSubstr("Bank conflicts lengthen it"),
                    HasSubstr("short_scoreboard_per_issue_active")));
}

TEST_P(StallBars, NameTheirColours) {
  const auto workspace = transposes();
  for (const int width : {420, 1600}) {
    NullWindow window(width, 1400);
    const std::string words = window.panel(*workspace, GetParam());
    for (int i = 0; i < kStallGroups; ++i)
      EXPECT_THAT(words, HasSubstr(to_text(static_cast<StallGroup>(i)))) << width;
    EXPECT_THAT(drawn_in(window, *workspace, GetParam()), Not(Contains("notcounted")));
  }
}

TEST_P(StallBars, SayThatSomeReasonsWereNotCounted) {
  Workspace workspace(std::vector<std::string>{});
  ASSERT_TRUE(workspace.open(recorded_session("csrmm")));
  workspace.update();
  NullWindow window(1600, 1400);
  EXPECT_THAT(drawn_in(window, workspace, GetParam()), Contains("notcounted"));
  EXPECT_THAT(window.panel_under(workspace, GetParam(), "15 reasons that were not counted"),
              HasSubstr("--counters full"));
}

INSTANTIATE_TEST_SUITE_P(InPanels, StallBars, testing::Values("stalls", "overview", "metrics"),
                         [](const auto& panel) { return std::string(panel.param); });

// No bar, and no title above nothing.
TEST(StallBarsWithoutCounters, AreNotThere) {
  const auto workspace =
      sample::recorded({sample::hello(), sample::correct(sample::focus, 64e3, 128)});
  NullWindow window(1600, 1400);
  EXPECT_THAT(window.panel(*workspace, "overview"), Not(HasSubstr("why it waits")));
  EXPECT_THAT(window.panel(*workspace, "metrics"), Not(HasSubstr("dependency")));
}

// The bars stand where the reasons are: a filter that leaves no reason leaves no bar.
TEST(StallBarsInMetrics, GoWithTheReasons) {
  const auto workspace = transposes();
  NullWindow window(1600, 1400);
  TableFilter& filter = window.panels.metrics.filter;
  std::snprintf(filter.text, sizeof filter.text, "%s", "issue slots");
  EXPECT_THAT(window.panel(*workspace, "metrics"), Not(HasSubstr("dependency")));
  std::snprintf(filter.text, sizeof filter.text, "%s", "stall: barrier");
  EXPECT_THAT(window.panel(*workspace, "metrics"), HasSubstr("dependency"));
}

TEST(StallBarsInMetrics, AreAboveTheFirstReasonThatIsNotStarred) {
  MetricValue other{"inst.executed", 1.0}, first{"stall.wait", 2.0}, second{"stall.barrier", 3.0};
  std::vector<MetricLine> lines;
  for (const MetricValue* value : {&first, &other, &second}) lines.push_back(MetricLine{value});
  lines.front().starred = true;
  std::vector<TableRow> rows(3);
  for (std::size_t i = 0; i < 3; ++i) rows[i].index = i;
  std::vector<GroupedRow> drawn = {{&rows[0]}, {&rows[1]}, {&rows[2]}};
  add_stall_bars(drawn, lines, 0);
  EXPECT_EQ(drawn.size(), 3u) << "nothing was counted";
  add_stall_bars(drawn, lines, 2);
  ASSERT_EQ(drawn.size(), 6u) << "two bars and the legend";
  EXPECT_EQ(drawn[1].row, &rows[1]);
  for (std::size_t bar = 0; bar < 3; ++bar) EXPECT_EQ(drawn[2 + bar].bar, bar);
  EXPECT_EQ(drawn[5].row, &rows[2]);
}

}  // namespace
}  // namespace warpscope
