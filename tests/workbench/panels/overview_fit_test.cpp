// tests/workbench/panels/overview_fit_test.cpp: Overview's chart is seen whole, in its parts'
// order.
#include "workbench/panels/overview/overview_fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/recorded_session.h"
#include "tests/workbench/window/drawn_text.h"
#include "tests/workbench/window/null_window.h"

namespace warpscope {
namespace {

TEST(OverviewFit, GivesWayInOrderWhereThereIsLessRoom) {
  OverviewHeights heights;
  heights.room = 700;
  heights.title = 40, heights.quiet = 15;
  heights.limit = 150;
  heights.story = heights.note = 20;
  heights.sentences = 400;
  heights.chart = 250;
  EXPECT_EQ(overview_order(heights), OverviewOrder::reading);
  for (const auto& [room, order] :
       {std::pair(690.0f, OverviewOrder::reading), std::pair(689.0f, OverviewOrder::without_story),
        std::pair(670.0f, OverviewOrder::without_story),
        std::pair(669.0f, OverviewOrder::without_note),
        std::pair(650.0f, OverviewOrder::without_note),
        std::pair(649.0f, OverviewOrder::chart_early),
        // What limits and the chart take 400, and a small title leaves 25 more.
        std::pair(375.0f, OverviewOrder::chart_early),
        std::pair(374.0f, OverviewOrder::chart_first)}) {
    OverviewHeights less = heights;
    less.room = room;
    EXPECT_EQ(overview_order(less), order) << room;
  }
  OverviewHeights unknown = heights;
  unknown.room = unknown.sentences = 0;
  EXPECT_EQ(overview_order(unknown), OverviewOrder::reading);
}

// Each part is said once, whichever order stands.
TEST(OverviewFit, TheChartStandsEarlyInASmallWindow) {
  for (const auto& [width, height] : {std::pair(1280, 720), std::pair(1600, 900)}) {
    NullWindow window(width, height);
    Workspace workspace({});
    ASSERT_TRUE(workspace.open(recorded_session("csrmm")));
    workspace.update();
    window.window(workspace);
    const std::string words = window.window(workspace);
    const std::size_t chart = words.find("where its bytes go"), next = words.find("what next");
    ASSERT_NE(chart, std::string::npos);
    ASSERT_NE(next, std::string::npos);
    if (width == 1280) {
      EXPECT_LT(chart, next) << "it stands early, so that it is whole";
    }
    for (const char* once : {"what it does", "what limits it", "responsible line",
                             "A recorded session is shown", "where its bytes go"}) {
      const std::size_t at = words.find(once);
      ASSERT_NE(at, std::string::npos) << once;
      EXPECT_EQ(words.find(once, at + 1), std::string::npos) << once << " twice at " << width;
    }
  }
}

TEST(OverviewFit, ThePartsHaveOneOrderInPanelsOfEverySize) {
  for (const auto& [width, height] :
       {std::pair(700, 500), std::pair(800, 900), std::pair(800, 1600), std::pair(1600, 900)}) {
    NullWindow window(width, height);
    Workspace workspace({});
    ASSERT_TRUE(workspace.open(recorded_session("csrmm")));
    workspace.update();
    window.panel(workspace, "overview");  // heights are known from the frame before
    const std::string words = window.panel(workspace, "overview");
    std::size_t at = 0;
    for (const char* part : {"what limits it", "what it does", "responsible line", "what next"}) {
      at = words.find(part, at);
      ASSERT_NE(at, std::string::npos) << part << " at " << width << " × " << height;
    }
    if (width != 800) continue;
    const std::size_t chart = words.find("where its bytes go");
    EXPECT_LT(words.find("what limits it"), chart) << height;
    EXPECT_GT(words.find("what it does"), chart) << height;
    // No second share of the same roof stands on an arrow.
    EXPECT_NE(words.find("Served by L2: "), std::string::npos);
    EXPECT_NE(words.find("L1 and shared memory share one data path"), std::string::npos);
  }
}

// The lowest box of the chart is DRAM's, and in a narrow panel the last.
TEST(OverviewFit, TheChartOfEveryVariantIsWholeInASmallWindow) {
  for (const char* scene : {"csrmm", "patterns", "led", "esmm", "deform", "autoencoder"}) {
    NullWindow window(1280, 720);
    Workspace workspace({});
    ASSERT_TRUE(workspace.open(recorded_session(scene)));
    workspace.update();
    int whole = 0;
    for (const Variant& variant : workspace.scene().variants) {
      workspace.selection.variant = variant.name;
      const std::string words = window.window(workspace);
      if (words.find("where its bytes go") == std::string::npos) continue;
      bool found = false;
      for (const DrawnText& text : drawn_texts()) {
        if (text.words != "DRAM") continue;
        const Box box = text.box();
        found = found || (box.y0 >= text.clip.y0 && box.y1 <= text.clip.y1);
      }
      EXPECT_TRUE(found) << scene << "/" << variant.name;
      whole += found ? 1 : 0;
    }
    EXPECT_GT(whole, 2) << scene;
  }
}

}  // namespace
}  // namespace warpscope
