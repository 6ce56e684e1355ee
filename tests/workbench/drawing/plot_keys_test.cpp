// tests/workbench/drawing/plot_keys_test.cpp: keys and wheel pan and zoom the plot under the
// pointer.
#include <gtest/gtest.h>

#include "tests/workbench/window/null_window.h"
#include "tests/workbench/workspace/sample_session.h"

namespace warpscope {
namespace {

class PlotKeys : public testing::Test {
 protected:
  void SetUp() override {
    workspace_ = sample::recorded({sample::roofs(), sample::correct(sample::baseline, 240e3),
                                   sample::correct(sample::focus, 120e3),
                                   sample::correct(sample::focus, 110e3, 64),
                                   sample::timeline(sample::focus)});
    window_.move_mouse(600, 400);
    draw();
  }
  void draw() { window_.panel(*workspace_, "roofline"); }
  PlotView& view() { return window_.panels.roofline.view; }
  // How far the left edge moves, in parts of the width before, while something is held.
  double moved_by(const std::function<void(bool)>& hold) {
    view() = {};
    draw();
    const PlotScale before = view().x;
    hold(true);
    draw();
    hold(false);
    draw();
    return before.position(view().x.low);
  }
  double width_after(const std::function<void(bool)>& hold) {
    view() = {};
    draw();
    const PlotScale before = view().x;
    hold(true);
    draw();
    hold(false);
    draw();
    return before.position(view().x.high) - before.position(view().x.low);
  }

  NullWindow window_{1280, 720};
  std::unique_ptr<Workspace> workspace_;
};

TEST_F(PlotKeys, AAndDAndArrowsPan) {
  EXPECT_LT(moved_by([&](bool down) { window_.hold('A', down); }), -0.01);
  EXPECT_GT(moved_by([&](bool down) { window_.hold('D', down); }), 0.01);
  EXPECT_LT(moved_by([&](bool down) { window_.hold_named(ImGuiKey_LeftArrow, down); }), -0.01);
  EXPECT_GT(moved_by([&](bool down) { window_.hold_named(ImGuiKey_RightArrow, down); }), 0.01);
}

TEST_F(PlotKeys, WAndSZoom) {
  EXPECT_LT(width_after([&](bool down) { window_.hold('W', down); }), 0.95);
  EXPECT_GT(width_after([&](bool down) { window_.hold('S', down); }), 1.05);
}

TEST_F(PlotKeys, ControlIsFinerAndShiftFaster) {
  const auto arrow = [&](bool down) { window_.hold_named(ImGuiKey_RightArrow, down); };
  const double plain = moved_by(arrow);
  const double fine = moved_by([&](bool down) {
    window_.hold_control(down);
    arrow(down);
  });
  const double fast = moved_by([&](bool down) {
    window_.hold_shift(down);
    arrow(down);
  });
  EXPECT_NEAR(fine, plain / 4, plain * 0.01);
  EXPECT_NEAR(fast, plain * 4, plain * 0.01);
}

TEST_F(PlotKeys, NothingMovesWhereThePointerIsElsewhere) {
  window_.move_mouse(-1, -1);
  EXPECT_DOUBLE_EQ(moved_by([&](bool down) { window_.hold('D', down); }), 0);
}

// The view that a panel's plot takes when Z is pressed.
TEST_F(PlotKeys, ZZoomsEveryPlotToTheSelectionAndHomeFitsItAgain) {
  for (const char* panel : {"roofline", "sweep", "timing", "timeline"}) {
    PlotView& seen = std::string(panel) == "roofline" ? window_.panels.roofline.view
                     : std::string(panel) == "sweep"  ? window_.panels.sweep.view
                     : std::string(panel) == "timing" ? window_.panels.timing.warm
                                                      : window_.panels.timeline.view;
    window_.panel(*workspace_, panel);
    const PlotView all = seen;
    const auto extent = [](const PlotScale& s) { return s.log ? s.high / s.low : s.high - s.low; };
    const auto wish = [&](ViewWish wanted) {
      for (PlotView* view : plot_views(window_.panels)) view->wish = wanted;
      window_.panel(*workspace_, panel);
      for (PlotView* view : plot_views(window_.panels)) view->wish = ViewWish::none;
    };
    wish(ViewWish::selection);
    const PlotView chosen = seen;
    EXPECT_TRUE(chosen.by_hand) << panel;
    EXPECT_TRUE(extent(chosen.x) < extent(all.x) || extent(chosen.y) < extent(all.y)) << panel;
    wish(ViewWish::all);
    EXPECT_NEAR(extent(seen.x), extent(all.x), extent(all.x) * 1e-9) << panel;
    EXPECT_NEAR(extent(seen.y), extent(all.y), extent(all.y) * 1e-9) << panel;
  }
}

TEST_F(PlotKeys, AWishOfAClosedPlotIsForgotten) {
  window_.window(*workspace_);
  for (PlotView* view : plot_views(window_.panels)) view->wish = ViewWish::selection;
  window_.frame([&] { draw_workbench(*workspace_, window_.panels, window_.style, window_.state); });
  for (const PlotView* view : plot_views(window_.panels)) EXPECT_EQ(view->wish, ViewWish::none);
}

}  // namespace
}  // namespace warpscope
