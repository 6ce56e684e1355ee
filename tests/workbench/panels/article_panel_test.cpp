// tests/workbench/panels/article_panel_test.cpp: the card says what holds here, what does not, and
// why not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/workbench/window/null_window.h"
#include "tests/workbench/workspace/sample_session.h"

namespace warpscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(ArticlePanel, SaysWhatIsMissingWhereNothingIsMeasured) {
  NullWindow window;
  auto workspace = sample::recorded({LogLine{"info", "recorded for a test", 0}});
  EXPECT_THAT(window.panel(*workspace, "article"),
              AllOf(HasSubstr("this device shows"), HasSubstr("? not known"),
                    HasSubstr("Removing the test for zero is a gain."),
                    HasSubstr("needs time.warm of warp-row branch-free"), Not(HasSubstr("holds"))));
}

TEST(ArticlePanel, HoldsTheArticleToTheRecordedDevice) {
  NullWindow window(1600, 2400);
  Workspace workspace({});
  ASSERT_TRUE(workspace.open(*recorded_session_of("csrmm")));
  EXPECT_THAT(window.panel(workspace, "article"),
              AllOf(HasSubstr("NVIDIA H200 shows"), HasSubstr("✔ holds"),
                    HasSubstr("✕ does not hold"), Not(HasSubstr("go to the defaults"))));
  workspace.selection.axes.set("n", std::int64_t{64});
  workspace.update();
  EXPECT_THAT(window.panel(workspace, "article"),
              AllOf(HasSubstr("go to the defaults"), HasSubstr("✕ does not hold")))
      << "the card stands at the defaults wherever the sliders are";
}

// The words of the panel in a frame whose time is over before it begins, and whether it goes on.
struct Hurried {
  std::string words;
  bool unfinished = false;
};
Hurried hurried(NullWindow& window, Workspace& workspace) {
  FrameBudget budget;
  std::string words = window.frame([&] {
    const PanelContext context{workspace.view(), window.style, workspace.requests, nullptr,
                               &budget};
    find_panel("article")->draw(context, workspace.selection, window.panels);
  });
  std::replace(words.begin(), words.end(), '\n', ' ');  // the panel is narrow
  return {words, budget.unfinished};
}

TEST(ArticlePanel, MakesAtMostHalfARowPerFrameWhereNoTimeIsLeft) {
  NullWindow window(1600, 2400);
  Workspace workspace({});
  ASSERT_TRUE(workspace.open(*recorded_session_of("csrmm")));
  const std::string unhurried = window.panel(workspace, "article");
  window.panels.article = {};
  const std::size_t rows = workspace.scene().article.size();
  ASSERT_GT(rows, 3u);
  std::size_t frames = 0, made = 0;
  const std::size_t most = 2 * rows + workspace.scene().variants.size();
  for (; made < rows && frames <= most; ++frames) {
    const std::size_t before = made;
    const Hurried seen = hurried(window, workspace);
    made = window.panels.article.next_row;
    EXPECT_LE(made, before + 1) << frames;
    EXPECT_EQ(seen.unfinished, made < rows) << frames;
    const auto waits = [](const auto& row) { return !row; };
    const auto& all = window.panels.article.rows;
    EXPECT_EQ(std::count_if(all.begin(), all.end(), waits), std::ptrdiff_t(rows - made));
    EXPECT_THAT(seen.words, HasSubstr(workspace.scene().article.back().said.substr(0, 20)));
  }
  EXPECT_EQ(made, rows);
  EXPECT_GE(frames, 2 * rows) << "the texts of the variants first, then two pieces of each row";
  EXPECT_EQ(window.panel(workspace, "article"), unhurried);
}

TEST(ArticlePanel, KeepsWhatRowsShowedUntilTheyAreMadeAgain) {
  NullWindow window(1600, 2400);
  Workspace workspace({});
  ASSERT_TRUE(workspace.open(*recorded_session_of("csrmm")));
  const std::string before = window.panel(workspace, "article");
  --window.panels.article.revision;  // something has come since
  hurried(window, workspace);
  EXPECT_EQ(window.panels.article.next_row, 0u) << "it is judged";
  const Hurried seen = hurried(window, workspace);
  EXPECT_EQ(window.panels.article.next_row, 1u);
  EXPECT_TRUE(seen.unfinished);
  EXPECT_THAT(seen.words, AllOf(HasSubstr("✔ holds"), Not(HasSubstr("…"))));
}

}  // namespace
}  // namespace warpscope
