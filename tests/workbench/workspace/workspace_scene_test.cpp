// tests/workbench/workspace/workspace_scene_test.cpp: the workspace turns from scene to scene and
// back.
#include <gtest/gtest.h>

#include <algorithm>

#include "scenes/catalogue.h"
#include "tests/workbench/workspace/sample_session.h"
#include "workbench/workspace/workspace.h"

namespace warpscope {
namespace {

bool shows(const Workspace& workspace, const std::string& variant) {
  const auto shown = workspace.view().points.shown_variants();
  return std::any_of(shown.begin(), shown.end(),
                     [&](const Variant* v) { return v->name == variant; });
}

void set_axis(Workspace& workspace, const char* axis, const char* value) {
  workspace.selection.axes =
      *with_values(workspace.scene().axes, workspace.selection.axes, {{axis, value}});
  workspace.update();
}

TEST(WorkspaceScene, TurnsToEverySceneWithItsDefaultsInFocus) {
  Workspace workspace({});
  for (const Scene& scene : built_in_catalogue().scenes()) {
    workspace.selection.hidden["copy"] = true;
    workspace.selection.unlinked["k"] = true;
    ASSERT_TRUE(workspace.choose_scene(built_in_catalogue().scenes().front().name));
    ASSERT_TRUE(workspace.choose_scene(built_in_catalogue().scenes().back().name));
    ASSERT_TRUE(workspace.choose_scene(scene.name));
    workspace.update();
    const Selection& s = workspace.selection;
    EXPECT_EQ(workspace.scene().name, scene.name);
    EXPECT_EQ(s.scene, scene.name);
    EXPECT_EQ(s.axes, default_configuration(scene.axes));
    EXPECT_EQ(s.variant, scene.baseline);
    EXPECT_EQ(s.baseline, scene.baseline);
    EXPECT_TRUE(s.hidden.empty() && s.unlinked.empty());
    EXPECT_NE(find_axis(scene.axes, s.sweep_axis), nullptr) << s.sweep_axis;
    EXPECT_EQ(workspace.view().key(), configuration_key(scene.axes, s.axes, s.variant));
  }
}

TEST(WorkspaceScene, FollowsAPanelThatWritesAnotherScene) {
  Workspace workspace({});
  workspace.selection.scene = "patterns";
  workspace.update();
  EXPECT_EQ(workspace.scene().name, "patterns");
  EXPECT_TRUE(shows(workspace, "copy"));
  EXPECT_FALSE(shows(workspace, "transpose_naive"));
}

TEST(WorkspaceScene, KeepsItsSceneWhenANameIsUnknown) {
  Workspace workspace({});
  const std::string before = workspace.scene().name;
  workspace.selection.scene = "pattern";
  workspace.update();
  EXPECT_EQ(workspace.scene().name, before);
  EXPECT_EQ(workspace.selection.scene, before);
  ASSERT_EQ(workspace.view().log.notices().size(), 1u);
  EXPECT_NE(workspace.view().log.notices()[0].find("did you mean patterns?"), std::string::npos);
  EXPECT_FALSE(workspace.choose_scene("nowhere"));
}

TEST(WorkspaceScene, PutsAVariantInFocusThatAppliesAfterTheOperationChanged) {
  Workspace workspace({});
  ASSERT_TRUE(workspace.choose_scene("patterns"));
  workspace.update();
  set_axis(workspace, "op", "transpose");
  EXPECT_EQ(workspace.selection.variant, "transpose_naive");
  EXPECT_EQ(workspace.selection.baseline, "transpose_naive");
  EXPECT_EQ(workspace.selection.sweep_axis, "rows");  // n means nothing here
  set_axis(workspace, "op", "copy");
  EXPECT_EQ(workspace.selection.baseline, "copy");
}

TEST(WorkspaceScene, UndoAndRedoLeadThroughScenes) {
  Workspace workspace({});
  const std::string first = workspace.scene().name;
  set_axis(workspace, "n", "256");
  workspace.selection.variant = "float4_columns";
  workspace.update();
  workspace.selection.scene = "patterns";
  workspace.update();
  set_axis(workspace, "op", "gather");
  set_axis(workspace, "locality", "0.25");

  workspace.undo();
  EXPECT_EQ(workspace.selection.axes.real("locality"), 0.5);
  workspace.undo();
  EXPECT_EQ(workspace.selection.axes.text("op"), "copy");
  EXPECT_EQ(workspace.selection.variant, "copy");
  workspace.undo();
  EXPECT_EQ(workspace.scene().name, first);
  EXPECT_EQ(workspace.selection.axes.integer("n"), 256);
  EXPECT_EQ(workspace.selection.variant, "float4_columns");
  workspace.update();
  EXPECT_EQ(workspace.scene().name, first);

  for (int i = 0; i < 3; ++i) workspace.redo();
  EXPECT_EQ(workspace.scene().name, "patterns");
  EXPECT_EQ(workspace.selection.axes.text("op"), "gather");
  EXPECT_EQ(workspace.selection.variant, "gather");
  EXPECT_EQ(workspace.selection.axes.real("locality"), 0.25);
}

// As `warpscope trace … --session F` leaves it: no point, and a scene that is not the first.
TEST(WorkspaceScene, OfASessionOfTracesAloneIsWhatWasTracedLast) {
  Job job = sample::job(1, JobKind::trace, "transpose_tiled");
  job.scene = "patterns";
  job.axes = {{"op", "transpose"}, {"rows", "64"}};
  const auto workspace = sample::recorded({job});
  EXPECT_EQ(workspace->scene().name, "patterns");
  EXPECT_EQ(workspace->selection.axes.text("op"), "transpose");
  EXPECT_EQ(workspace->selection.axes.integer("rows"), 64);
}

}  // namespace
}  // namespace warpscope
