// tests/workbench/panels/overview_fit_test.cpp: Overview's chart is seen whole, in its parts'
// order.
#include "workbench/panels/overview/overview_fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/recorded_session.h"
#include "tests/workbench/window/null_window.h"

namespace warpscope {
namespace {

TEST(OverviewFit, GivesWayInOrderWhereThereIsLessRoom) {
  const OverviewHeights heights{700, 20, 20, 400, 250};
  EXPECT_EQ(overview_order(heights), OverviewOrder::reading);
  for (const auto& [room, order] :
       {std::pair(690.0f, OverviewOrder::reading), std::pair(689.0f, OverviewOrder::without_story),
        std::pair(670.0f, OverviewOrder::without_story),
        std::pair(669.0f, OverviewOrder::without_note),
        std::pair(650.0f, OverviewOrder::without_note),
        std::pair(649.0f, OverviewOrder::chart_early)}) {
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

}  // namespace
}  // namespace warpscope
