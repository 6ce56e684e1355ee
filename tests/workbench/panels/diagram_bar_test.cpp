// tests/workbench/panels/diagram_bar_test.cpp: the row above a diagram is one row at every width,
// and what a narrow one leaves out is in its menu.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "tests/profiling/access/synthetic_trace.h"
#include "tests/workbench/window/drawn_text.h"
#include "tests/workbench/window/null_window.h"
#include "tests/workbench/workspace/sample_session.h"

namespace warpscope {
namespace {

using testing::HasSubstr;
using testing::Not;

std::unique_ptr<Workspace> traced() {
  Trace trace = synthetic_trace();
  trace.variant = sample::focus;
  trace.key = sample::key_at_n(128);
  return sample::recorded({trace});
}

// The texts that have these words, each with the letters that stand in one line beside them.
std::vector<DrawnText> drawn_with(const std::string& words) {
  std::vector<DrawnText> found;
  for (const DrawnText& text : drawn_texts()) {
    if (text.words.find(words) != std::string::npos) found.push_back(text);
  }
  return found;
}

TEST(DiagramBar, IsOneRowFromThePlaceOfASmallWindowOn) {
  bool whole = false, fewer = false, folded = false;
  // The narrowest place of the first layout is that at 1280 × 720.
  for (int width = 400; width <= 760; width += 10) {
    NullWindow window(width, 720);
    auto workspace = traced();
    const std::string words = window.panel(*workspace, "coalescing");
    const bool menu = words.find("▶ play") == std::string::npos;
    const bool all = words.find("grid of 1") != std::string::npos;
    whole = whole || (all && !menu);
    fewer = fewer || (!all && !menu);
    folded = folded || menu;
    EXPECT_FALSE(all && menu) << width;
    const auto first = drawn_with("grid"), below = drawn_with(".cu:");
    ASSERT_FALSE(first.empty() || below.empty()) << width;
    // The site's line follows at once: there is no second row of buttons.
    EXPECT_LT(below.front().box().y0 - first.front().box().y1, 14) << width;
  }
  EXPECT_TRUE(whole && fewer && folded) << "all three forms were seen";
}

TEST(DiagramBar, KeepsWhatANarrowOneLeavesOutInAMenu) {
  NullWindow wide(900, 720);
  auto workspace = traced();
  EXPECT_THAT(wide.panel(*workspace, "coalescing"),
              testing::AllOf(HasSubstr("▶ play"), HasSubstr("PNG")));
}

TEST(DiagramBarMenu, WritesThePanelAsAPicture) {
  NullWindow window(400, 720);
  auto workspace = traced();
  EXPECT_THAT(window.panel(*workspace, "coalescing"), Not(HasSubstr("PNG")));
  const auto press = [&](const char* hint) {
    EXPECT_THAT(window.panel_under(*workspace, "coalescing", hint), HasSubstr(hint));
    window.hold_mouse(0, true);
    window.panel(*workspace, "coalescing");
    window.hold_mouse(0, false);
    window.panel(*workspace, "coalescing");
  };
  press("More: ");
  press("Writes this panel as a picture.");
  EXPECT_EQ(workspace->selection.wish.kind, ExportWish::Kind::picture);
  EXPECT_EQ(workspace->selection.wish.panel, "coalescing");
}

}  // namespace
}  // namespace warpscope
