// tests/workbench/panels/hidden_panels_test.cpp: what panels worked out can be forgotten while they
// are not shown.
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>

#include "tests/folders.h"
#include "tests/workbench/window/null_window.h"
#include "workbench/workspace/trace_state.h"

namespace warpscope {
namespace {

TEST(HiddenPanels, ShowTheSameAfterWhatTheyWorkedOutWasForgotten) {
  NullWindow window(1600, 900);
  Workspace workspace({}, {built_program("fake_engine"), "traces"});
  workspace.selection.variant = "float4_columns";
  const auto start = std::chrono::steady_clock::now();
  while (trace_state(workspace.view(), "float4_columns").freshness != Freshness::fresh &&
         std::chrono::steady_clock::now() - start < std::chrono::seconds(20)) {
    workspace.update();
    workspace.wait(0.01);
  }
  const auto shown = [](const char* panel) { return std::strcmp(panel, "warp_map") == 0; };
  const auto nothing = [](const char*) { return false; };
  for (const char* name : {"coalescing", "banks", "warp_map", "divergence", "findings", "overview",
                           "sweep", "steps", "source"}) {
    const std::string before = window.panel(workspace, name);
    forget_hidden(window.panels, nothing);
    EXPECT_EQ(window.panel(workspace, name), before) << name;
  }
  window.panel(workspace, "warp_map");
  const std::size_t accesses = window.panels.warp_map.accesses.size();
  ASSERT_GT(accesses, 0u);
  forget_hidden(window.panels, shown);
  EXPECT_EQ(window.panels.warp_map.accesses.size(), accesses);
  forget_hidden(window.panels, nothing);
  EXPECT_EQ(window.panels.warp_map.accesses.capacity(), 0u);
}

}  // namespace
}  // namespace warpscope
