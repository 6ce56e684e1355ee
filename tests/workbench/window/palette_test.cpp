// tests/workbench/window/palette_test.cpp: the command palette finds what a person names, and does
// it.
#include "workbench/window/palette/palette.h"

#include <gtest/gtest.h>
#include <imgui_internal.h>

#include <memory>
#include <set>
#include <string>

#include "tests/recorded_session.h"
#include "tests/workbench/window/null_window.h"
#include "workbench/panels/figures/metric_groups.h"

namespace warpscope {
namespace {

class CommandPaletteTest : public testing::Test {
 protected:
  void SetUp() override {
    workspace_ = std::make_unique<Workspace>(std::vector<std::string>{});
    ASSERT_TRUE(workspace_->open(recorded_session("csrmm")));
    window_.window(*workspace_);
  }
  void show(int frames) {
    for (int i = 0; i < frames; ++i) window_.step(*workspace_);
  }
  void press_palette() {
    window_.hold_control(true);
    window_.hold('P', true);
    show(1);
    window_.hold('P', false);
    window_.hold_control(false);
    show(3);
  }
  void type(const std::string& text) {
    ImGui::GetIO().AddInputCharactersUTF8(text.c_str());
    show(4);
  }
  // What is typed, and Enter.
  void ask(const std::string& text) {
    press_palette();
    ASSERT_TRUE(palette().shown);
    type(text);
    window_.press(*workspace_, ImGuiKey_Enter);
    show(3);
    EXPECT_FALSE(palette().shown);
  }
  // The title of the best row.
  std::string first(const std::string& typed) {
    const auto entries = palette_entries(*workspace_);
    const auto rows = palette_rows(entries, typed, {});
    return rows.empty() ? "" : entries[rows.front()].id();
  }
  CommandPalette& palette() { return window_.state.help.palette; }

  NullWindow window_{1280, 720};
  std::unique_ptr<Workspace> workspace_;
};

TEST_F(CommandPaletteTest, KnowsEveryActionPanelSceneVariantAxisAndMetric) {
  std::set<std::string> ids;
  for (const PaletteEntry& entry : palette_entries(*workspace_)) {
    EXPECT_TRUE(ids.insert(entry.id()).second) << entry.id();
    EXPECT_FALSE(entry.title.empty()) << entry.id();
  }
  for (const Command& command : all_commands()) {
    const std::string name = command.name;
    if (name == "palette" || name == "close" || name.starts_with("tab ")) continue;
    EXPECT_TRUE(ids.contains("action " + name)) << name;
  }
  for (const PanelRow& panel : all_panels()) {
    EXPECT_EQ(ids.contains("panel " + std::string(panel.name)), panel.belongs(workspace_->view()))
        << panel.name;
  }
  for (const Metric& metric : all_metrics()) EXPECT_TRUE(ids.contains("metric " + metric.id));
  for (const Axis& axis : workspace_->scene().axes)
    EXPECT_TRUE(ids.contains("axis " + axis.name)) << axis.name;
  for (const char* scene : {"scene csrmm", "scene led", "variant k_tiles", "layout expert"})
    EXPECT_TRUE(ids.contains(scene)) << scene;
}

TEST_F(CommandPaletteTest, ListsEachLessonByItsTitle) {
  std::set<std::string> titles, listed;
  for (const LessonOutline& lesson : shipped_lessons()) titles.insert(lesson.title);
  for (const PaletteEntry& entry : palette_entries(*workspace_)) {
    if (entry.kind == PaletteKind::lesson) listed.insert(entry.title);
  }
  EXPECT_FALSE(titles.empty());
  EXPECT_EQ(listed, titles);
}

TEST_F(CommandPaletteTest, FindsAMetricByOurTitleAndByCuptisName) {
  EXPECT_EQ(first("stall: memory"), "metric stall.long_scoreboard");
  EXPECT_EQ(first("smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio"),
            "metric stall.long_scoreboard");
  EXPECT_EQ(first("occupancy"), "panel occupancy");
  EXPECT_EQ(first("wm"), "panel warp_map");
  EXPECT_EQ(first("no such thing"), "");
}

TEST_F(CommandPaletteTest, FindsEveryEntryOfTheExportMenuAndAsksWhere) {
  EXPECT_EQ(first("export report html"), "file page");
  EXPECT_EQ(first("csv per measurement"), "file measurements");
  for (const PaletteEntry& entry : palette_entries(*workspace_)) {
    if (entry.kind != PaletteKind::file) continue;
    EXPECT_TRUE(entry.title.ends_with(" …")) << entry.title << " opens a dialog";
  }
  window_.state.attended = true;
  ask("report in markdown");
  ASSERT_TRUE(window_.state.open.save.shown);
  EXPECT_EQ(window_.state.open.save.ending, ".md");
}

TEST_F(CommandPaletteTest, ListsWhatWasChosenLatelyFirst) {
  const auto entries = palette_entries(*workspace_);
  const auto rows = palette_rows(entries, "", {"scene led", "panel engine"});
  ASSERT_EQ(rows.size(), entries.size());
  EXPECT_EQ(entries[rows[0]].id(), "scene led");
  EXPECT_EQ(entries[rows[1]].id(), "panel engine");
  EXPECT_EQ(entries[rows[2]].id(), entries[0].id());
}

TEST_F(CommandPaletteTest, ShowsAPanelAndRemembersIt) {
  ask("roofline");
  EXPECT_EQ(window_.state.centre_tab, "roofline");
  ASSERT_FALSE(palette().recent.empty());
  EXPECT_EQ(palette().recent.front(), "panel roofline");
}

TEST_F(CommandPaletteTest, DoesAnActionOnceItIsClosed) {
  ASSERT_EQ(window_.state.theme, Theme::dark);
  ask("dark or light");
  EXPECT_EQ(window_.state.theme, Theme::light);
}

TEST_F(CommandPaletteTest, PutsAVariantIntoFocus) {
  ask("k_tiles");
  EXPECT_EQ(workspace_->selection.variant, "k_tiles");
}

TEST_F(CommandPaletteTest, GivesAnAxisTheKeyboardSoThatArrowsMoveIt) {
  const std::int64_t before = workspace_->selection.axes.integer("n");
  ASSERT_EQ(first("axis columns of B"), "axis n");
  ask("axis columns of B");
  EXPECT_TRUE(focus_is_shown());
  EXPECT_FALSE(ImGui::GetIO().WantTextInput);
  window_.press(*workspace_, ImGuiKey_RightArrow);
  show(2);
  EXPECT_GT(workspace_->selection.axes.integer("n"), before);
}

TEST_F(CommandPaletteTest, OpensTheGroupOfAnAxisThatIsFolded) {
  const Axis* folded = nullptr;
  for (const Axis& axis : workspace_->scene().axes) {
    if (axis.name == "op") folded = &axis;
  }
  ASSERT_NE(folded, nullptr);
  window_.panels.axes.go_to = "op";
  show(3);
  EXPECT_TRUE(window_.panels.axes.go_to.empty());
  EXPECT_TRUE(window_.state.notices.shown.empty());
}

TEST_F(CommandPaletteTest, BringsAMetricIntoViewOrSaysThatItIsMissing) {
  ask("smsp__average_warps_issue_stalled_wait");
  EXPECT_EQ(window_.state.bottom_tab, "metrics");
  EXPECT_EQ(window_.panels.metrics.found, "stall.wait");
  EXPECT_TRUE(window_.panels.metrics.open.contains("compute"));
  EXPECT_TRUE(window_.state.notices.shown.empty());
  ask("smsp__average_warps_issue_stalled_gmma");
  EXPECT_FALSE(window_.state.notices.shown.empty());
}

TEST_F(CommandPaletteTest, ClosesByEscAndByItsOwnKeysAndChangesNothing) {
  const std::string variant = workspace_->selection.variant;
  press_palette();
  type("k_tiles");
  window_.press(*workspace_, ImGuiKey_Escape);
  show(2);
  EXPECT_FALSE(palette().shown);
  press_palette();
  ASSERT_TRUE(palette().shown);
  EXPECT_TRUE(palette().typed.empty());
  press_palette();
  EXPECT_FALSE(palette().shown);
  EXPECT_EQ(workspace_->selection.variant, variant);
}

TEST_F(CommandPaletteTest, ChoosesOtherRowsByArrowsAndByTheMouse) {
  press_palette();
  type("csrmm");
  const int last = static_cast<int>(palette_rows(palette().entries, "csrmm", {}).size()) - 1;
  ASSERT_GT(last, 1);
  window_.press(*workspace_, ImGuiKey_DownArrow);
  EXPECT_EQ(palette().chosen, 1);
  window_.press(*workspace_, ImGuiKey_UpArrow);
  window_.press(*workspace_, ImGuiKey_UpArrow);
  EXPECT_EQ(palette().chosen, 0);
  for (int i = 0; i < last + 5; ++i) window_.press(*workspace_, ImGuiKey_DownArrow);
  EXPECT_EQ(palette().chosen, last);
  EXPECT_EQ(palette().typed, "csrmm");
  type(" zzzz");
  window_.press(*workspace_, ImGuiKey_Enter);
  show(2);
  EXPECT_TRUE(palette().shown) << "Enter without a row leaves the palette open";
}

TEST(StarredMetrics, StandFirstInAGroupOfTheirOwn) {
  const MetricValue a{"a.a", 1.0}, b{"b.b", 2.0}, c{"c.c", 3.0};
  std::vector<MetricLine> lines(3);
  lines[0].value = &a, lines[1].value = &b, lines[2].value = &c;
  for (MetricLine& line : lines) line.group = "memory";
  bring_starred({"c.c", "not here"}, lines);
  EXPECT_EQ(lines[0].value, &c);
  EXPECT_EQ(lines[1].value, &a);
  EXPECT_EQ(lines[2].value, &b);
  std::vector<TableRow> rows(3);
  for (std::size_t i = 0; i < 3; ++i) rows[i].index = i;
  const std::vector<GroupedRow> drawn = grouped(rows, lines, {}, false, true);
  ASSERT_EQ(drawn.size(), 3u) << "a head, the starred row though it is a detail, and a head";
  EXPECT_EQ(drawn[0].row, nullptr);
  EXPECT_EQ(drawn[1].row, rows.data());
}

}  // namespace
}  // namespace warpscope
