// tests/workbench/docking/real_docking_test.cpp: in the real window tabs are dragged to another
// place and out of the window, and the next window has them there.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/workbench/window/real_window.h"

namespace warpscope {
namespace {

using Told = RealWindow::Told;

bool has(const Told& told, const char* place, const char* panel) {
  const auto found = told["places"].find(place);
  return found != told["places"].end() &&
         std::find(found->begin(), found->end(), panel) != found->end();
}

class RealDocking : public testing::Test {
 protected:
  void SetUp() override {
    if (!screen_.trouble().empty()) GTEST_SKIP() << screen_.trouble();
  }
  static void drag_tab(RealWindow& window, const char* title, float x, float y) {
    const Box tab = window.tab_to("/centre_", {"tabs", title});
    ASSERT_FALSE(tab.empty());
    window.move((tab.x0 + tab.x1) / 2, (tab.y0 + tab.y1) / 2);
    window.hold_button();
    window.move((tab.x0 + tab.x1) / 2 + 20, (tab.y0 + tab.y1) / 2);
    window.move(x, y);
    window.let_go_button();
  }

  const Screen screen_;
  const Person person_;
};

TEST_F(RealDocking, ATabThatIsDraggedStaysWhereItWasPutInTheNextWindow) {
  {
    RealWindow window(screen_, person_);
    const Box diagrams = window.panel("coalescing");
    drag_tab(window, "Roofline", (diagrams.x0 + diagrams.x1) / 2, diagrams.y0 - 10);
    window.until("it is there", [](const Told& told) { return has(told, "right", "roofline"); });
    EXPECT_EQ(window.now()["tabs"]["right"], "roofline");
    window.close();
  }
  const Told again = RealWindow(screen_, person_).close();
  EXPECT_TRUE(has(again, "right", "roofline"));
  EXPECT_FALSE(has(again, "centre", "roofline"));
  EXPECT_EQ(again["tabs"]["right"], "roofline");
}

TEST_F(RealDocking, ATabDroppedOutsideHasAWindowOfItsOwnAlsoNextTime) {
  {
    RealWindow window(screen_, person_);
    drag_tab(window, "Roofline", 1800, 300);
    window.until("it has a window",
                 [](const Told& told) { return has(told, "windows", "roofline"); });
    window.until("it is drawn outside", [](const Told& told) {
      return told["panels"].contains("roofline") && told["panels"]["roofline"][0] >= 1600;
    });
    window.press("t");
    window.until("the main window obeys keys", [](const Told& t) { return t["theme"] == "light"; });
    window.close();
  }
  RealWindow window(screen_, person_);
  window.until("it is there again", [](const Told& told) {
    return has(told, "windows", "roofline") && told["panels"].contains("roofline") &&
           told["panels"]["roofline"][0] >= 1600;
  });
  // By its title it is docked again.
  const Box outside = window.panel("roofline"), below = window.panel("metrics");
  window.move(outside.x0 + 200, outside.y0 + 10);
  window.hold_button();
  window.move(outside.x0 + 150, outside.y0 + 20);
  window.move(below.x0 + 200, below.y0 - 10);
  window.let_go_button();
  window.until("it is docked", [](const Told& told) { return has(told, "bottom", "roofline"); });
  EXPECT_EQ(window.now()["tabs"]["bottom"], "roofline");
  window.close();
}

TEST_F(RealDocking, TheMenuOfPanelsOpensByItsKeyAndClosesByEsc) {
  RealWindow window(screen_, person_);
  window.press("ctrl+b");
  window.until("it is open", [](const Told& told) { return told["open"][0] == "popup"; });
  window.press("Escape");
  window.until("it is closed", [](const Told& told) { return told["open"].empty(); });
}

}  // namespace
}  // namespace warpscope
