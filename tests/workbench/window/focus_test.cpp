// tests/workbench/window/focus_test.cpp: everything that a mouse reaches is reached by keys, and
// what is held is one undo.
#include "workbench/drawing/focus.h"

#include <gtest/gtest.h>
#include <imgui_internal.h>

#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/workbench/window/null_window.h"
#include "tests/workbench/workspace/sample_session.h"
#include "workbench/panels/axes/axis_slider.h"

namespace warpscope {
namespace {

// The window with a small recorded session, as a person sees it after a moment.
class Keys : public testing::Test {
 protected:
  void SetUp() override {
    std::vector<Message> messages = {sample::hello(), sample::roofs(),
                                     sample::timeline(sample::focus)};
    for (const std::int64_t n : {64, 128, 256}) {
      for (const char* variant : {sample::focus, sample::baseline})
        messages.push_back(sample::correct(variant, 1e3 * static_cast<double>(n), n));
    }
    workspace_ = sample::recorded(messages);
    show();
  }
  void show(int frames = 4) {
    for (int i = 0; i < frames; ++i) window_.step(*workspace_);
  }
  void press(ImGuiKey key) { window_.press(*workspace_, key); }
  ImGuiContext& g() { return *ImGui::GetCurrentContext(); }
  // Tab until the name of what has the focus is this one. A name is an id of ImGui's.
  bool tab_to(ImGuiID wanted) {
    constexpr int kMost = 400;
    for (int i = 0; i < kMost; ++i) {
      press(ImGuiKey_Tab);
      if (g().NavId == wanted) return focus_is_shown();
    }
    return false;
  }
  // An id below a chain of windows and names: what ImGui::GetID would give there.
  static ImGuiID id_in(const char* window, std::initializer_list<const char*> names) {
    const ImGuiWindow* outer = nullptr;  // of nested windows the outermost of that name
    for (const ImGuiWindow* w : ImGui::GetCurrentContext()->Windows) {
      const std::string_view name = w->Name;
      if (w->WasActive && name.find(window) != std::string_view::npos &&
          (outer == nullptr || name.size() < std::string_view(outer->Name).size()))
        outer = w;
    }
    ImGuiID id = outer != nullptr ? outer->ID : 0;
    for (const char* name : names) id = ImHashStr(name, 0, id);
    return id;
  }
  std::int64_t n() const { return workspace_->selection.axes.integer("n"); }
  template <typename Asked>
  bool asked() const {
    for (const Request& request : workspace_->requests.waiting()) {
      if (std::holds_alternative<Asked>(request)) return true;
    }
    return false;
  }

  NullWindow window_{1280, 720};
  std::unique_ptr<Workspace> workspace_;
};

// Ids that a pointer finds and keys need not: bars and borders that only move what is shown.
bool for_pointers_alone(ImGuiID id) {
  for (ImGuiWindow* window : ImGui::GetCurrentContext()->Windows) {
    if (!window->WasActive) continue;
    for (const ImGuiAxis axis : {ImGuiAxis_X, ImGuiAxis_Y}) {
      if (id == ImGui::GetWindowScrollbarID(window, axis)) return true;
    }
    if (id == window->MoveId) return true;
  }
  ImGuiContext& g = *ImGui::GetCurrentContext();
  for (int t = 0; t < g.Tables.GetMapSize(); ++t) {
    ImGuiTable* table = g.Tables.TryGetMapData(t);
    for (int column = 0; table != nullptr && column < table->ColumnsCount; ++column) {
      if (id == ImGui::TableGetColumnResizeID(table, column)) return true;
    }
  }
  return false;
}

TEST_F(Keys, EveryControlThatThePointerFindsIsReachedByTabInAllTabs) {
  const std::vector<std::array<const char*, 3>> tabs = {
      {"overview", "coalescing", "metrics"}, {"findings", "coalescing", "metrics"},
      {"roofline", "coalescing", "metrics"}, {"sweep", "banks", "source"},
      {"timing", "warp_map", "occupancy"},   {"timeline", "divergence", "engine"}};
  for (const auto& [centre, right, bottom] : tabs) {
    window_.state.centre_tab = centre;
    window_.state.right_tab = right;
    window_.state.bottom_tab = bottom;
    window_.move_mouse(-1, -1);
    show();
    std::set<ImGuiID> reached;
    constexpr int kMost = 900;
    for (int i = 0; i < kMost; ++i) {
      press(ImGuiKey_Tab);
      ASSERT_NE(g().NavId, 0u);
      if (g().ActiveId != 0) press(ImGuiKey_Escape);  // a text box: letters go into it
      if (i > 40 && reached.count(g().NavId) != 0) break;
      reached.insert(g().NavId);
    }
    std::set<ImGuiID> ticks;  // under sliders, whose arrows step through them
    for (const Axis& axis : workspace_->scene().axes)
      ticks.insert(id_in("/axes_", {axis.name.c_str(), "stops"}));
    std::map<ImGuiID, ImVec2> found;
    for (float y = 8; y < 720; y += 13) {
      for (float x = 8; x < 1280; x += 24) {
        window_.move_mouse(x, y);
        window_.step(*workspace_);
        const ImGuiID id = g().HoveredIdIsDisabled ? 0 : g().HoveredId;
        if (id != 0 && reached.count(id) == 0 && ticks.count(id) == 0 && !for_pointers_alone(id))
          found[id] = {x, y};
      }
    }
    for (const auto& [id, at] : found) {
      ADD_FAILURE() << "a pointer alone reaches what is at " << at.x << ", " << at.y << " beside "
                    << centre << ", " << right << ", " << bottom;
    }
    EXPECT_GT(reached.size(), 40u);
  }
}

TEST_F(Keys, ShiftTabGoesBackAndF6FromRegionToRegion) {
  press(ImGuiKey_Tab);
  const ImGuiID first = g().NavId;
  press(ImGuiKey_Tab);
  const ImGuiID second = g().NavId;
  EXPECT_NE(first, second);
  window_.hold_shift(true);
  press(ImGuiKey_Tab);
  EXPECT_EQ(g().NavId, first);
  window_.hold_shift(false);
  std::set<int> regions;
  for (int i = 0; i < 6; ++i) {
    window_.hold_function(6, true);
    show(1);
    window_.hold_function(6, false);
    show(3);
    regions.insert(window_.state.focus.region);
    EXPECT_TRUE(focus_is_shown());
  }
  EXPECT_EQ(regions.size(), 6u) << "the bar, Axes, Variants, and three groups of tabs";
}

TEST_F(Keys, ArrowsGoFromControlToControl) {
  press(ImGuiKey_Tab);
  std::set<ImGuiID> seen = {g().NavId};
  for (const ImGuiKey key : {ImGuiKey_RightArrow, ImGuiKey_RightArrow, ImGuiKey_DownArrow,
                             ImGuiKey_DownArrow, ImGuiKey_DownArrow}) {
    press(key);
    seen.insert(g().NavId);
  }
  EXPECT_GE(seen.size(), 5u);
}

TEST_F(Keys, SpaceAndEnterPressWhatHasTheFocusAndMeasureNothing) {
  for (const auto& [key, title, tab] : {std::tuple(ImGuiKey_Space, "Sweep", "sweep"),
                                        std::tuple(ImGuiKey_Enter, "Timing", "timing")}) {
    ASSERT_TRUE(tab_to(id_in("/centre_", {"tabs", title})));
    window_.hold_named(key, true);
    show(1);
    EXPECT_FALSE(asked<request::Measure>());
    window_.hold_named(key, false);
    show(2);
    EXPECT_EQ(window_.state.centre_tab, tab);
  }
}

TEST_F(Keys, SpaceAloneAsksForNothingAndF5Measures) {
  window_.hold_named(ImGuiKey_Space, true);
  show(1);
  EXPECT_TRUE(workspace_->requests.empty());
  window_.hold_named(ImGuiKey_Space, false);
  show(1);
  window_.hold_function(5, true);
  show(1);
  EXPECT_TRUE(asked<request::Measure>());
}

TEST_F(Keys, NoBareLetterOrDigitAsksForAnythingThatUndoDoesNotTakeBack) {
  PanelStates panels;
  for (const Command& command : all_commands()) {
    const std::string keys = command.keys;
    if (keys.size() != 1) continue;
    auto workspace = sample::measuring("good");
    workspace->requests.take();
    FrameState state;
    command.act(*workspace, panels, state);
    for (const Request& request : workspace->requests.waiting())
      ADD_FAILURE() << keys << " asks for the kind " << request.index();
    EXPECT_FALSE(state.quit) << keys;
    EXPECT_TRUE(state.screenshot.empty()) << keys;
  }
}

TEST_F(Keys, EscapeClosesAPopupThenTheHelpAndCancelsOnlyThen) {
  ASSERT_TRUE(tab_to(id_in("workbench", {"##scene"})));
  press(ImGuiKey_Space);
  show(2);
  ASSERT_GT(g().OpenPopupStack.Size, 0);
  window_.state.help.open = true;
  show(1);
  const auto escape = [&] {
    workspace_->requests.take();
    window_.hold_named(ImGuiKey_Escape, true);
    show(1);
    const bool cancels = asked<request::Cancel>();
    window_.hold_named(ImGuiKey_Escape, false);
    show(2);
    return cancels;
  };
  if (g().OpenPopupStack.Size > 0) {
    EXPECT_FALSE(escape());
    EXPECT_EQ(g().OpenPopupStack.Size, 0);
  }
  EXPECT_TRUE(window_.state.help.open);
  EXPECT_FALSE(escape());
  EXPECT_FALSE(window_.state.help.open);
  EXPECT_TRUE(escape());
}

TEST_F(Keys, EscapeInATextBoxEndsTypingAndCancelsNothing) {
  window_.hold_control(true);
  window_.hold('F', true);
  show(1);
  window_.hold('F', false);
  window_.hold_control(false);
  show(3);
  ASSERT_TRUE(ImGui::GetIO().WantTextInput);
  window_.hold_named(ImGuiKey_Escape, true);
  show(1);
  EXPECT_FALSE(asked<request::Cancel>());
  window_.hold_named(ImGuiKey_Escape, false);
  show(2);
  EXPECT_FALSE(ImGui::GetIO().WantTextInput);
}

TEST_F(Keys, AnArrowThatIsHeldOnASliderIsOneUndoAndTwoAreTwo) {
  const std::int64_t start = n();
  ASSERT_TRUE(tab_to(id_in("/axes_", {"n", "##value"})));
  const auto hold = [&](ImGuiKey key, int frames) {
    window_.hold_named(key, true);
    show(frames);
    window_.hold_named(key, false);
    show(3);
  };
  hold(ImGuiKey_RightArrow, 60);
  const std::int64_t once = n();
  EXPECT_GT(once, start * 2) << "a key that is held goes on";
  EXPECT_TRUE(focus_is_shown()) << "and the focus stays";
  hold(ImGuiKey_LeftArrow, 1);
  EXPECT_LT(n(), once);
  workspace_->undo();
  EXPECT_EQ(n(), once);
  workspace_->undo();
  EXPECT_EQ(n(), start);
}

TEST_F(Keys, ADragOfASliderInTheWindowIsOneUndo) {
  const std::int64_t start = n();
  ASSERT_TRUE(tab_to(id_in("/axes_", {"n", "##value"})));
  const ImRect slider =
      ImGui::WindowRectRelToAbs(g().NavWindow, g().NavWindow->NavRectRel[g().NavLayer]);
  const float y = slider.GetCenter().y;
  window_.move_mouse(slider.Min.x + 0.2f * slider.GetWidth(), y);
  show(2);
  window_.hold_mouse(0, true);
  std::set<std::int64_t> values;
  for (float part = 0.2f; part < 0.9f; part += 0.01f) {
    // The pointer leaves the slider on its way, and the engine is heard several times a frame.
    window_.move_mouse(slider.Min.x + part * slider.GetWidth(), y + 40 * (part - 0.2f));
    workspace_->update();
    show(1);
    workspace_->update();
    values.insert(n());
  }
  window_.hold_mouse(0, false);
  show(3);
  EXPECT_GT(values.size(), 20u);
  EXPECT_NE(n(), start);
  workspace_->undo();
  EXPECT_EQ(n(), start);
}

TEST_F(Keys, ASliderThatIsDraggedStaysUnderThePointer) {
  ASSERT_TRUE(tab_to(id_in("/axes_", {"n", "##value"})));
  const auto place = [&] {
    return ImGui::WindowRectRelToAbs(g().NavWindow, g().NavWindow->NavRectRel[g().NavLayer]).Min.y;
  };
  const float before = place();
  workspace_->selection.axes.set("n", std::int64_t{130});  // between the ticks
  show(3);
  EXPECT_EQ(workspace_->view().points.not_recorded(), "not recorded at n=130");
  EXPECT_EQ(place(), before);
}

TEST_F(Keys, ASplitterMovesWithArrows) {
  ASSERT_TRUE(tab_to(id_in("workbench", {"split-left"})));
  const float before = window_.state.docks.present.root.ratio;
  press(ImGuiKey_RightArrow);
  press(ImGuiKey_RightArrow);
  EXPECT_GT(window_.state.docks.present.root.ratio, before + 0.01f);
  EXPECT_EQ(g().NavId, id_in("workbench", {"split-left"}));
  press(ImGuiKey_LeftArrow);
  press(ImGuiKey_LeftArrow);
  EXPECT_NEAR(window_.state.docks.present.root.ratio, before, 1e-4);
}

TEST_F(Keys, APlotWithTheFocusIsPannedWhereverThePointerIs) {
  window_.state.wanted_tab = "roofline";
  show(2);
  ASSERT_TRUE(tab_to(id_in("/roofline_", {"roofline"})));
  const double before = window_.panels.roofline.view.x.low;
  press(ImGuiKey_RightArrow);
  EXPECT_NE(window_.panels.roofline.view.x.low, before);
  EXPECT_EQ(g().NavId, id_in("/roofline_", {"roofline"}));
}

TEST_F(Keys, ANoticeTakesNoClickAndMovesNothing) {
  const std::map<std::string, Box> before = window_.state.boxes;
  toast(window_.state, "a sentence of some length that stands there for a while");
  show(3);
  const ImGuiWindow* notice = ImGui::FindWindowByName("notices");
  ASSERT_NE(notice, nullptr);
  ASSERT_TRUE(notice->WasActive);
  EXPECT_EQ(window_.state.boxes, before);
  const ImVec2 middle = notice->Rect().GetCenter();
  window_.move_mouse(middle.x, middle.y);
  show(2);
  ASSERT_NE(g().HoveredWindow, nullptr);
  EXPECT_STRNE(g().HoveredWindow->Name, "notices");
  // Every panel below it is hovered as if it were not there.
  bool logged = false;
  for (const LogLine& line : workspace_->view().log.lines())
    logged = logged || line.level == "notice";
  EXPECT_TRUE(logged) << "Engine lists it";
}

TEST(AxisSteps, GoAlongTheSliderAndHoldAtWhatLiesBetween) {
  Axis n = number_axis("n", "n", "", "", AxisKind::integer, AxisScale::log, Binding::argument, 1,
                       4096, AxisValue(std::int64_t{128}));
  EXPECT_GT(stepped(n, {}, 128, 1, 1), 128);
  EXPECT_LT(stepped(n, {}, 128, -1, 1), 128);
  EXPECT_EQ(stepped(n, {}, 1, 1, 1), 2) << "at least the next whole number";
  EXPECT_EQ(stepped(n, {}, 4096, 1, 1), 4096);
  EXPECT_EQ(stepped(n, {130}, 128, 1, 4), 130);
  EXPECT_GT(stepped(n, {130}, 130, 1, 1), 130) << "a stop does not keep it";
  double at = 64;
  std::set<double> seen;
  for (int i = 0; i < 60 && at < 300; ++i) seen.insert(at = stepped(n, {128, 256}, at, 1, 1));
  EXPECT_EQ(seen.count(128) + seen.count(256), 2u);
  Axis p = number_axis("p", "p", "", "", AxisKind::real, AxisScale::linear, Binding::argument, 0, 1,
                       0.5);
  EXPECT_NEAR(stepped(p, {}, 0.5, 1, 1), 0.52, 1e-9);
  EXPECT_NEAR(stepped(p, {}, 0.5, -1, 0.25), 0.495, 1e-9);
}

}  // namespace
}  // namespace warpscope
