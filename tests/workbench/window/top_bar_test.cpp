// tests/workbench/window/top_bar_test.cpp: the line at the top: its words, its width, and what it
// starts.
#include "workbench/window/top_bar.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiling/access/line_counters.h"
#include "scenes/catalogue.h"
#include "tests/workbench/window/null_window.h"
#include "tests/workbench/workspace/sample_session.h"

namespace warpscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::unique_ptr<Workspace> with_counters() {
  return sample::recorded({sample::hello(), sample::roofs(),
                           sample::correct(sample::baseline, 240e3),
                           sample::correct(sample::focus, 120e3)});
}

TEST(TopBar, NamesSceneDeviceClockCountersAndTheirPasses) {
  NullWindow window(1600, 900);
  auto workspace = with_counters();
  workspace->selection.counters = "standard";
  EXPECT_THAT(
      window.window(*workspace),
      AllOf(HasSubstr("csrmm"), HasSubstr("recorded: synthetic device · 1980 MHz · counters ok"),
            HasSubstr("● live"), HasSubstr("▶ run"), HasSubstr("counters standard, 11 passes"),
            HasSubstr("sweep n"), HasSubstr("export ▾"), HasSubstr("☾")));
}

TEST(TopBar, SaysNoPassesWhereNoneAreKnown) {
  NullWindow window(1600, 900);
  auto workspace = sample::measuring("good");
  workspace->selection.counters = "full";
  const std::string words = window.window(*workspace);
  EXPECT_THAT(words, HasSubstr("counters full"));
  EXPECT_THAT(words, Not(HasSubstr("counters full,")));
  workspace = with_counters();
  EXPECT_FALSE(counter_passes(workspace->session(), "full"));
  EXPECT_EQ(counter_passes(workspace->session(), "standard"), 11);
}

TEST(TopBar, TakesPassesOfThisDeviceAlone) {
  Hello other = sample::hello();
  other.device->name = "another device";
  auto workspace = sample::recorded({other, sample::correct(sample::focus, 120e3)});
  EXPECT_FALSE(counter_passes(workspace->session(), "standard"));
}

// Buttons stand inside the window, and the last one ends at its right edge.
TEST(TopBar, StaysInsideTheWindowAtEverySizeAndScale) {
  struct Look {
    int width, height;
    float scale;
  };
  for (const Look look : {Look{1280, 720, 1}, Look{1600, 900, 1}, Look{1280, 720, 1.5f},
                          Look{3200, 1800, 2}, Look{1600, 900, 2}}) {
    NullWindow window(look.width, look.height, look.scale);
    auto workspace = with_counters();
    workspace->selection.counters = "standard";
    float end = 0;
    for (int i = 0; i < 3; ++i) {
      window.frame([&] {
        ImGui::SetNextWindowPos({0, 0});
        ImGui::SetNextWindowSize(ImGui::GetIO().DisplaySize);
        ImGui::Begin("bar", nullptr, ImGuiWindowFlags_NoDecoration);
        draw_top_bar(*workspace, window.style, window.state);
        end = ImGui::GetItemRectMax().x;
        ImGui::End();
      });
    }
    EXPECT_LE(end, static_cast<float>(look.width)) << look.width << " × " << look.scale;
    EXPECT_GE(end, static_cast<float>(look.width) - 20 * look.scale)
        << look.width << " × " << look.scale;
  }
}

TEST(TopBar, SweepsTheAxisMovedLast) {
  auto workspace = with_counters();
  FrameState state;
  EXPECT_EQ(axis_to_sweep(*workspace), "n");
  workspace->selection.touched_axis = "p";
  EXPECT_EQ(axis_to_sweep(*workspace), "p");
  start_sweep(*workspace, state);
  EXPECT_EQ(workspace->selection.sweep_axis, "p");
  EXPECT_EQ(state.wanted_tab, "sweep");
  EXPECT_TRUE(workspace->requests.empty()) << "a recorded session shows its points";
  workspace->selection.touched_axis = "op";  // a choice has no line
  EXPECT_EQ(axis_to_sweep(*workspace), "p");
  auto live = sample::measuring("good");
  ASSERT_FALSE(live->view().recorded());
  live->requests.take();
  start_sweep(*live, state);
  ASSERT_EQ(live->requests.waiting().size(), 1u);
  EXPECT_TRUE(std::holds_alternative<request::Sweep>(live->requests.waiting()[0]));
}

TEST(TopBar, ShowsASweepsProgressAndTakesItsCancel) {
  NullWindow window(1600, 900);
  auto workspace = sample::measuring("hangs");
  workspace->update();
  workspace->requests.ask(request::Sweep{});
  workspace->update();
  const std::string of = std::to_string(workspace->view().jobs.sweep_progress().of);
  EXPECT_THAT(window.window(*workspace), HasSubstr("■ n 0 of " + of));
}

TEST(TopBar, KeysTurnToTheNextSceneAndCounterSet) {
  auto workspace = with_counters();
  PanelStates panels;
  FrameState state;
  const auto press = [&](const std::string& name) {
    for (const Command& command : all_commands()) {
      if (name == command.name) command.act(*workspace, panels, state);
    }
  };
  press("scene");
  EXPECT_EQ(workspace->selection.scene, "patterns");
  workspace->update();
  EXPECT_EQ(workspace->scene().name, "patterns");
  for (std::size_t i = 1; i < built_in_catalogue().scenes().size(); ++i) {
    press("scene");
    workspace->update();
  }
  EXPECT_EQ(workspace->selection.scene, "csrmm");  // all round
  std::set<std::string> sets;
  for (std::size_t i = 0; i <= counter_sets().size(); ++i) {
    press("counters");
    sets.insert(workspace->selection.counters);
  }
  EXPECT_EQ(sets.size(), counter_sets().size() + 1) << "all sets, and none";
  // What is counted by line stays chosen while the set changes.
  workspace->selection.counters = "standard,lines";
  sets.clear();
  for (std::size_t i = 0; i <= counter_sets().size(); ++i) {
    press("counters");
    EXPECT_TRUE(asks_for_lines(workspace->selection.counters)) << workspace->selection.counters;
    sets.insert(workspace->selection.counters);
  }
  EXPECT_EQ(sets, std::set<std::string>({"lines", "live,lines", "standard,lines", "full,lines"}));
}

TEST(TopBar, AddsCountersByLineAndInstructionToAnySetAndTakesThemAway) {
  auto workspace = with_counters();
  for (const auto& [before, with] : {std::pair("standard", "standard,lines"), {"none", "lines"}}) {
    workspace->selection.counters = before;
    turn_line_counters(*workspace);
    EXPECT_EQ(workspace->selection.counters, with);
    turn_line_counters(*workspace);
    EXPECT_EQ(workspace->selection.counters, before);
  }
}

}  // namespace
}  // namespace warpscope
