// tests/workbench/workspace/scene_types_test.cpp: leagues, own axes, typed axes, remedies and tags
// in panels.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiling/session/remedy.h"
#include "tests/workbench/window/null_window.h"
#include "tests/workbench/workspace/sample_session.h"
#include "tests/workbench/workspace/small_scene.h"

namespace warpscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class SceneTypes : public testing::Test {
 protected:
  Measurement correct(const std::string& variant, double ns) const {
    Measurement m = sample::correct(sample::focus, ns);
    m.scene = scene.name;
    m.variant = variant;
    m.axes = for_variant(scene.axes, default_configuration(scene.axes), variant);
    m.key = configuration_key(scene.axes, m.axes, variant);
    m.problem = problem_key(scene.axes, m.axes);
    return m;
  }
  Measurement refused(std::int64_t n) const {
    Measurement m = correct("tiled", 1);
    m.cold.reset();
    m.warm.reset();
    m.metrics.clear();
    m.axes.set("n", n);
    m.key = configuration_key(scene.axes, m.axes, "tiled");
    m.problem = problem_key(scene.axes, m.axes);
    m.verdict = {};
    m.verdict.outcome = Outcome::cannot_run;
    m.verdict.sentence = "n is " + std::to_string(n);
    return m;
  }
  std::unique_ptr<Workspace> show(const std::vector<Message>& messages) const {
    auto workspace = sample::recorded(messages, catalogue);
    workspace->selection.variant = scene.variants.front().name;
    workspace->update();
    return workspace;
  }
  static void click(NullWindow& window, Workspace& workspace, const std::string& panel) {
    window.hold_mouse(0, true);
    static_cast<void>(window.panel(workspace, panel));
    window.hold_mouse(0, false);
    static_cast<void>(window.panel(workspace, panel));
    window.move_mouse(-1, -1);
  }
  const Scene scene = small_scene();
  const std::shared_ptr<Catalogue> catalogue =
      std::make_shared<Catalogue>(std::vector<Scene>{scene});
  NullWindow window;
};

TEST_F(SceneTypes, VariantsAreGroupedByLeagueEachWithItsOwnBaseline) {
  auto workspace = show({correct("plain", 300e3), correct("tiled", 200e3), correct("tensor", 100e3),
                         correct("tensor_tiled", 50e3)});
  const std::string words = window.panel(*workspace, "variants");
  EXPECT_THAT(words, AllOf(HasSubstr("FP32 · against plain"), HasSubstr("TF32 · against tensor"),
                           HasSubstr("▲ 1.50×"), HasSubstr("▲ 2.00×")));
  EXPECT_LT(words.find("FP32"), words.find("TF32"));
  EXPECT_THAT(words, Not(HasSubstr("3.00×"))) << "TF32 against FP32's baseline";
  // Another baseline holds within its league.
  workspace->selection.baseline = "tiled";
  workspace->update();
  EXPECT_THAT(window.panel(*workspace, "variants"),
              AllOf(HasSubstr("FP32 · against tiled"), HasSubstr("TF32 · against tensor")));
}

// The scene's library row stands for leagues that name none of their own.
TEST_F(SceneTypes, VariantsAreHeldToTheLibraryRowOfTheirLeagueToo) {
  Scene with = scene;
  with.library_baseline = "plain";
  with.leagues[1].library_baseline = "tensor_tiled";
  auto workspace = sample::recorded({correct("plain", 300e3), correct("tiled", 200e3),
                                     correct("tensor", 100e3), correct("tensor_tiled", 50e3)},
                                    std::make_shared<Catalogue>(std::vector<Scene>{with}));
  workspace->selection.baseline = "tiled";
  workspace->update();
  EXPECT_THAT(window.panel_under(*workspace, "variants", "against the library's tensor_tiled"),
              HasSubstr("against the library's tensor_tiled"));
  window.move_mouse(-1, -1);
  workspace->selection.wish = {ExportWish::Kind::rows, "variants", ""};
  static_cast<void>(window.panel(*workspace, "variants"));
  const std::string& rows = workspace->selection.wish.text;
  EXPECT_THAT(rows, HasSubstr("speed-up against the library"));
  EXPECT_THAT(rows, HasSubstr(",0.5,1,tensor_tiled")) << "tensor is half as quick";
  EXPECT_THAT(rows, HasSubstr(",1.5,1,plain")) << "tiled against the scene's";
}

TEST_F(SceneTypes, AnotherLibraryRowStandsInWhereTheFirstDoesNotApply) {
  Scene with = scene;
  with.library_baseline = "tensor_tiled";
  with.library_baseline_elsewhere = "plain";
  for (Variant& variant : with.variants) {
    if (variant.name == with.library_baseline)
      variant.applies = [](const Configuration&) { return false; };
  }
  auto workspace = sample::recorded({correct("plain", 300e3), correct("tiled", 200e3)},
                                    std::make_shared<Catalogue>(std::vector<Scene>{with}));
  workspace->update();
  workspace->selection.wish = {ExportWish::Kind::rows, "variants", ""};
  static_cast<void>(window.panel(*workspace, "variants"));
  EXPECT_THAT(workspace->selection.wish.text, HasSubstr(",1.5,1,plain"));
}

TEST_F(SceneTypes, ACurveStandsBesideThatOfItsOwnLeaguesBaseline) {
  std::vector<Message> messages;
  for (const auto& [variant, last] :
       {std::pair{"plain", 0.125}, std::pair{"tensor", 0.25}, std::pair{"tensor_tiled", 0.5}}) {
    const Measurement m = correct(variant, 100e3);
    messages.push_back(m);
    Series loss;
    loss.point = id_of(m);
    loss.name = "loss";
    loss.label = "training loss";
    loss.along = "step";
    loss.x = {0, 100};
    loss.y = {4, last};
    messages.push_back(loss);
  }
  auto workspace = show(messages);
  workspace->selection.variant = "tensor_tiled";
  workspace->update();
  EXPECT_THAT(window.panel(*workspace, "curves"),
              AllOf(HasSubstr("tensor_tiled: training loss 0.5 at"),
                    HasSubstr("tensor: training loss 0.25 at"), Not(HasSubstr("0.125"))));
}

TEST_F(SceneTypes, TheOwnAxesOfTheVariantInFocusStandBelowItsName) {
  auto workspace = show({correct("plain", 300e3), correct("tiled", 200e3)});
  workspace->selection.variant = "plain";
  EXPECT_THAT(window.panel(*workspace, "axes"), Not(HasSubstr("rows of a tile")));
  workspace->selection.variant = "tiled";
  EXPECT_THAT(window.panel(*workspace, "axes"),
              AllOf(HasSubstr("of “tiled”, not of the problem"), HasSubstr("rows of a tile"),
                    HasSubstr("default 16"), HasSubstr("only tile=16 is recorded")));
}

TEST_F(SceneTypes, KeysStepThroughStopsOfTheVariantsOwnAxes) {
  std::vector<Message> messages;
  for (const std::int64_t tile : {8, 16, 32}) {
    Measurement m = correct("tiled", 200e3);
    m.axes.set("tile", tile);
    m.key = configuration_key(scene.axes, m.axes, "tiled");
    messages.emplace_back(m);
  }
  auto workspace = show(messages);
  workspace->selection.variant = "tiled";
  workspace->selection.touched_axis = "tile";
  workspace->update();
  const auto press = [&](const std::string& name) {
    for (const Command& command : all_commands()) {
      if (name == command.name) command.act(*workspace, window.panels, window.state);
    }
    workspace->update();
    return for_variant(scene.axes, workspace->selection.axes, "tiled").integer("tile");
  };
  EXPECT_EQ(press("next stop"), 32) << "its own default is 16";
  EXPECT_EQ(press("next stop"), 32);
  EXPECT_EQ(press("previous stop"), 16);
  EXPECT_EQ(press("previous stop"), 8);
}

TEST_F(SceneTypes, ATypedTextThatBreaksItsRuleSaysWhich) {
  auto workspace = show({correct("plain", 300e3)});
  EXPECT_THAT(window.panel(*workspace, "axes"), HasSubstr("1100"));
  window.panels.axes.typed["pattern"] = {"11x0", "1100"};
  EXPECT_THAT(window.panel(*workspace, "axes"),
              AllOf(HasSubstr("✕"), HasSubstr("only 0 and 1 stand in a pattern"),
                    HasSubstr("write one such as 1100")));
  window.panels.axes.typed["pattern"] = {"0110", "1100"};
  EXPECT_THAT(window.panel(*workspace, "axes"),
              AllOf(Not(HasSubstr("✕")), HasSubstr("Press Enter to take it")));
  window.panels.axes.typed.clear();
  window.panels.axes.typed["layers"] = {"92,4600", "92,46,23"};
  EXPECT_THAT(window.panel(*workspace, "axes"), HasSubstr("✕"));
}

TEST_F(SceneTypes, ARemedyIsOneClickAndOneUndo) {
  auto workspace = show({correct("plain", 300e3), refused(16)});
  workspace->selection.variant = "tiled";
  workspace->update();
  workspace->selection.axes.set("n", std::int64_t{16});
  workspace->update();
  for (const char* panel : {"variants", "metrics", "timing"})
    EXPECT_THAT(window.panel(*workspace, panel), HasSubstr("use 64")) << panel;
  ASSERT_THAT(window.panel_under(*workspace, "metrics", "Sets n = 64"), HasSubstr("Sets n = 64"));
  click(window, *workspace, "metrics");
  workspace->update();
  EXPECT_EQ(workspace->selection.axes.integer("n"), 64);
  workspace->undo();
  EXPECT_EQ(workspace->selection.axes.integer("n"), 16);
}

TEST_F(SceneTypes, ARemedyIsThatOfTheConstraintThatIsBroken) {
  EXPECT_EQ(remedy_of(scene, correct("tiled", 1), {}), std::nullopt);
  const auto change = remedy_of(scene, refused(16), limits_of(nullptr));
  ASSERT_TRUE(change);
  EXPECT_EQ(change->values, (std::map<std::string, std::string>{{"n", "64"}}));
  DeviceDescription small;
  small.shared_bytes_per_block = 48 << 10;
  EXPECT_EQ(limits_of(&small).shared_bytes_per_block, 48 << 10);
  EXPECT_EQ(limits_of(&small).multiprocessors, DeviceLimits{}.multiprocessors);
}

TEST_F(SceneTypes, MetricsSumTheStepsOfATag) {
  Measurement m = correct("plain", 300e3);
  m.steps.clear();
  for (const auto& [name, layer, ns] :
       {std::tuple{"conv forward", "Conv1", 10e3}, std::tuple{"conv backward", "Conv1", 30e3},
        std::tuple{"dense", "Dense", 5e3}}) {
    StepRecord step;
    step.name = name;
    step.kind = "kernel";
    step.tags = {{"layer", layer}};
    step.time_ns = ns;
    step.metrics = {{"dram.bytes_read", ns, Origin::measured, "", ""}};
    m.steps.push_back(step);
  }
  auto workspace = show({m});
  EXPECT_THAT(window.panel(*workspace, "metrics"), HasSubstr("the whole run"));
  window.panels.metrics.part = "layer=Conv1";
  EXPECT_THAT(window.panel(*workspace, "metrics"),
              AllOf(HasSubstr("2 steps, 40.00 µs together"), HasSubstr("40.00 kB"),
                    Not(HasSubstr("time, warm"))));
  window.panels.metrics.part = "conv backward";
  EXPECT_THAT(window.panel(*workspace, "metrics"),
              AllOf(HasSubstr("layer=Conv1 · 30.00 µs alone"), HasSubstr("30.00 kB"),
                    Not(HasSubstr("time, warm"))));
  window.panels.metrics.part = "no such step";
  EXPECT_THAT(window.panel(*workspace, "metrics"),
              AllOf(HasSubstr("the whole run"), HasSubstr("time, warm")));
}

TEST_F(SceneTypes, MetricsSayHowTheFiguresOfAStepCameAbout) {
  Measurement m = correct("plain", 300e3);
  m.submission = Submission::graph;
  m.steps.push_back(m.steps.front());
  m.steps[0].how =
      "time from activity records of the graph's nodes; counters from a run in a stream";
  m.steps[1].name = "add";
  auto workspace = show({m});
  window.panels.metrics.part = m.steps[0].name;
  EXPECT_THAT(window.panel_under(*workspace, "metrics", "counters from a run in a stream"),
              HasSubstr("counters from a run in a stream"));
  window.panels.metrics.part = "add";
  EXPECT_THAT(window.panel(*workspace, "metrics"), Not(HasSubstr("a run in a stream")));
}

TEST_F(SceneTypes, ErrorsThatJudgeNothingAndGraphsAreSaid) {
  Measurement m = correct("plain", 300e3);
  m.reported = {{"exact", 31, 7, 100, "31 times the bound of single precision"}};
  m.submission = Submission::graph;
  auto workspace = show({m});
  EXPECT_THAT(
      window.panel(*workspace, "metrics"),
      AllOf(HasSubstr("compared with exact, without effect on the verdict: 31 times the bound"),
            HasSubstr("submitted as one CUDA graph")));
}

}  // namespace
}  // namespace warpscope
