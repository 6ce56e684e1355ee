// tests/workbench/panels/overview_panel_test.cpp: the first thing a stranger sees, in each state.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/workbench/window/null_window.h"
#include "tests/workbench/workspace/sample_session.h"

namespace warpscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// 1.2 M of 2 M sectors stand at line 31 of the focus's kernel.
Measurement with_lines(Measurement m) {
  const auto row = [](int line, std::int64_t sectors) {
    LineCount count;
    count.position = {"csrmm/float4_columns.cu", line, 0};
    count.figures[LineMetric::sectors] = sectors;
    count.figures[LineMetric::ideal_sectors] = sectors;
    return count;
  };
  m.steps.front().lines.rows = {row(31, 1200000), row(40, 800000)};
  m.steps.front().text_hash = "";  // not recorded: nothing says that the text is another one
  return m;
}

std::unique_ptr<Workspace> fresh(std::vector<Message> more = {}) {
  more.insert(more.end(), {sample::roofs(), sample::correct(sample::baseline, 240e3),
                           with_lines(sample::correct(sample::focus, 120e3))});
  return sample::recorded(more);
}

// One sentence after another as ImGui logs them, without line breaks.
std::string flat(std::string words) {
  for (char& c : words) {
    if (c == '\n') c = ' ';
  }
  std::string one;
  for (const char c : words) {
    if (c != ' ' || one.empty() || one.back() != ' ') one += c;
  }
  return one;
}

TEST(OverviewPanel, SaysInFourSentencesWithNumbersWhatThereIsToKnow) {
  NullWindow window(900, 700);
  auto workspace = fresh();
  const std::string words = flat(window.panel(*workspace, "overview"));
  const Variant* focus = find_variant(workspace->scene(), sample::focus);
  EXPECT_THAT(words, HasSubstr(workspace->scene().title));
  EXPECT_THAT(words, HasSubstr("A recorded session is shown (synthetic device, 2026-11-21)"));
  EXPECT_THAT(words, HasSubstr(flat(workspace->view().words.of(focus->sentence))));
  EXPECT_THAT(words, HasSubstr("One run takes 120.0 µs with warm caches, 2.00× faster than"));
  // 700 MB over L2 in 120 µs are 5.83 TB/s, of 8.
  EXPECT_THAT(words, AllOf(HasSubstr("72.92 % of the L2 roof"), HasSubstr("5.83 TB/s"),
                           HasSubstr("1.37× faster. A variant that moves fewer bytes")));
  EXPECT_THAT(words, HasSubstr("Line 31 of "));
  EXPECT_THAT(words, HasSubstr("(60.00 %, counted by line on the GPU)"));
  EXPECT_THAT(words, HasSubstr("show Coalescing"));
}

TEST(OverviewPanel, AClickOnTheCauseAsksSourceForTheLine) {
  NullWindow window(1280, 720);
  auto workspace = fresh();
  ASSERT_THAT(window.panel_under(*workspace, "overview", "line 31: a click shows it in Source"),
              HasSubstr("line 31: a click shows it in Source"));
  window.hold_mouse(0, true);
  static_cast<void>(window.panel(*workspace, "overview"));
  window.hold_mouse(0, false);
  static_cast<void>(window.panel(*workspace, "overview"));
  EXPECT_EQ(workspace->selection.show_source.file, "csrmm/float4_columns.cu");
  EXPECT_EQ(workspace->selection.show_source.line, 31);
  static_cast<void>(window.window(*workspace));
  EXPECT_EQ(window.state.bottom_tab, "source");
}

TEST(OverviewPanel, StandsInFrontForWhoOpensTheWindowTheFirstTime) {
  NullWindow window;
  auto workspace = fresh();
  EXPECT_EQ(window.state.centre_tab, "overview");
  EXPECT_THAT(window.window(*workspace), HasSubstr("what limits it"));
  EXPECT_EQ(window.state.centre_tab, "overview");
  EXPECT_STREQ(all_panels()[2].name, "overview") << "the first tab of the centre";
}

TEST(OverviewPanel, ThePanelThatAButtonWantsComesToTheFront) {
  NullWindow window;
  auto workspace = fresh();
  static_cast<void>(window.window(*workspace));
  workspace->selection.wanted_panel = "banks";
  static_cast<void>(window.window(*workspace));
  EXPECT_EQ(window.state.right_tab, "banks");
  EXPECT_EQ(workspace->selection.wanted_panel, "");
}

TEST(OverviewPanel, TheNextRungIsOfferedAndOneClickAway) {
  NullWindow window(900, 700);
  auto workspace = fresh();
  workspace->selection.variant = sample::baseline;
  EXPECT_THAT(window.panel(*workspace, "overview"),
              HasSubstr("try float4 columns: 120.0 µs, 2.00× faster"));
  workspace->selection.variant = sample::focus;
  EXPECT_THAT(flat(window.panel(*workspace, "overview")),
              AllOf(HasSubstr("No variant of ours is faster here."),
                    HasSubstr("edit kernels/csrmm/float4_columns.cu and save it")));
}

TEST(OverviewPanel, TheChartHasBytesAndSharesOfRoofsAndSaysWhatIsMissing) {
  NullWindow window(900, 900);
  auto workspace = fresh();
  const std::string words = window.panel(*workspace, "overview");
  EXPECT_THAT(words, AllOf(HasSubstr("registers"), HasSubstr("shared"), HasSubstr("DRAM")));
  EXPECT_THAT(words, AllOf(HasSubstr("90.00 MB"), HasSubstr("10.00 MB"), HasSubstr("72.92 %")));
  EXPECT_THAT(
      flat(window.panel_under(*workspace, "overview", "between L1 and L2")),
      AllOf(HasSubstr("it was not counted"), HasSubstr("choose the counters"),
            HasSubstr("700.0 MB"), HasSubstr("of the L2 roof, 8.00 TB/s: it limits the variant")));
}

TEST(OverviewPanel, WhereAFigureIsMissingItSaysWhichAndWhatToDo) {
  NullWindow window(900, 700);
  // Nothing recorded.
  auto workspace = sample::recorded({LogLine{"info", "recorded for a test", 0}});
  EXPECT_THAT(flat(window.panel(*workspace, "overview")),
              AllOf(HasSubstr("no figure is recorded here"), HasSubstr("What limits it is unknown"),
                    HasSubstr("Not known yet: it was neither counted by line"),
                    HasSubstr("press trace in Coalescing")));
  // No roofs.
  workspace = sample::recorded({sample::correct(sample::focus, 120e3)});
  EXPECT_THAT(flat(window.panel(*workspace, "overview")), HasSubstr("roofs"));
  // Wrong.
  workspace = sample::recorded({sample::roofs(), sample::failed(sample::focus, Outcome::wrong,
                                                                "largest error 3.1", "look")});
  EXPECT_THAT(
      flat(window.panel(*workspace, "overview")),
      AllOf(HasSubstr("✕ wrong"), HasSubstr("largest error 3.1"), Not(HasSubstr("One run takes"))));
  // Recorded elsewhere.
  workspace = fresh();
  workspace->selection.axes.set("n", std::int64_t{130});
  EXPECT_THAT(
      flat(window.panel(*workspace, "overview")),
      AllOf(HasSubstr("not recorded at n=130"), HasSubstr("go to"), Not(HasSubstr("120.0 µs"))));
}

TEST(OverviewPanel, ALibrarysKernelHasNoLine) {
  NullWindow window(900, 700);
  Measurement library = sample::correct("cusparse_alg3", 130e3);
  library.steps.front().kind = "library";
  auto workspace = sample::recorded({sample::roofs(), library});
  workspace->selection.variant = "cusparse_alg3";
  EXPECT_THAT(flat(window.panel(*workspace, "overview")),
              HasSubstr("is a library's own kernel: its text is not ours to show"));
}

}  // namespace
}  // namespace warpscope
