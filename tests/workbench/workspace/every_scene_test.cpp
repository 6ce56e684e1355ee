// tests/workbench/workspace/every_scene_test.cpp: every panel draws every scene, recorded and at
// its choices.
#include <gtest/gtest.h>

#include <filesystem>

#include "scenes/catalogue.h"
#include "tests/workbench/window/null_window.h"
#include "workbench/panels/panels.h"
#include "workbench/workspace/workspace.h"

namespace warpscope {
namespace {

class EveryScene : public ::testing::TestWithParam<std::string> {};

// A scene that was never recorded is drawn without figures.
TEST_P(EveryScene, IsDrawnByEveryPanelWithItsRecordedSessionIfItHasOne) {
  const auto session = recorded_session_of(GetParam());
  Workspace workspace({});
  ASSERT_TRUE(session ? workspace.open(session->string()) : workspace.choose_scene(GetParam()));
  workspace.update();
  ASSERT_EQ(workspace.scene().name, GetParam());
  NullWindow window;
  for (const Axis& axis : workspace.scene().axes) {
    workspace.selection.sweep_axis = axis.name;
    workspace.update();
    EXPECT_NE(window.panel(workspace, "sweep"), "") << axis.name;
  }
  for (const Variant* variant : workspace.view().points.shown_variants()) {
    workspace.selection.variant = variant->name;
    workspace.update();
    for (const PanelRow& panel : all_panels())
      EXPECT_NE(window.panel(workspace, panel.name), "") << panel.name << " of " << variant->name;
  }
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const Scene& scene : built_in_catalogue().scenes()) all.push_back(scene.name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, EveryScene, ::testing::ValuesIn(names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace warpscope
