// tests/workbench/panels/occupancy_panel_test.cpp: registers and occupancy by architecture, the
// launch that will fail, and the click that mends it, in each state of the panels.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiling/points/output_pair.h"
#include "tests/workbench/window/null_window.h"
#include "tests/workbench/workspace/sample_session.h"
#include "tests/workbench/workspace/small_scene.h"

namespace warpscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kSentence =
    "255 registers × 32 lanes = 8 160 per warp, allocated as 8 192 (in units of 256); × 16 warps = "
    "131 072 registers; an SM has 65 536. At most 256 threads per block.";

// The small scene with a block size, by which "tiled" launches its kernel.
Scene scene_with_blocks() {
  Scene scene = small_scene();
  Axis block = number_axis("block_size", "threads per block", "threads",
                           "How many threads a block has.", AxisKind::integer, AxisScale::log,
                           Binding::launch_shape, 64, 512, std::int64_t{512});
  block.stops = {64, 128, 256, 512};
  scene.axes.push_back(block);
  scene.variants[1].steps = [](const Workload& w) -> std::vector<Step> {
    return {{"sum", Phase::run,
             KernelLaunch{
                 "small/tiled.cu", "tiled", {}, {{8, 1, 1}, {w.integer("block_size"), 1, 1}}}}};
  };
  scene.variants[3].own_kernels = false;
  return scene;
}

class OccupancyPanels : public testing::Test {
 protected:
  StepRecord step(int registers) const {
    StepRecord record;
    record.name = "sum";
    record.kind = "kernel";
    record.source = "small/tiled.cu";
    record.entry = "tiled";
    record.launch = {{8, 1, 1}, {512, 1, 1}};
    KernelResources r;
    r.registers_per_thread = registers;
    r.spill_store_bytes = registers < 255 ? 720 : 0;
    r.spill_load_bytes = registers < 255 ? 830 : 0;
    record.resources = r;
    return record;
  }
  Compilation compiled(int architecture, int registers) const {
    Compilation made;
    made.axes = for_variant(scene.axes, default_configuration(scene.axes), "tiled");
    made.point = {scene.name, "tiled", configuration_key(scene.axes, made.axes, "tiled"), "", ""};
    made.facts = {{"n", 64}};
    made.compute_capability = architecture;
    made.toolkit = "13.0";
    made.steps = {step(registers)};
    return made;
  }
  Measurement failing() const {
    Measurement m =
        sample::failed(sample::focus, Outcome::launch_failed, kSentence, "use block_size = 256");
    m.scene = scene.name;
    m.variant = "tiled";
    m.axes = for_variant(scene.axes, default_configuration(scene.axes), "tiled");
    m.key = configuration_key(scene.axes, m.axes, "tiled");
    m.problem = problem_key(scene.axes, m.axes);
    m.facts = {{"n", 64}};
    m.steps = {step(255)};
    return m;
  }
  std::unique_ptr<Workspace> show(const std::vector<Message>& messages) const {
    auto workspace = sample::recorded(messages, catalogue);
    workspace->selection.variant = "tiled";
    workspace->update();
    return workspace;
  }
  void click(Workspace& workspace, const std::string& panel) {
    window.hold_mouse(0, true);
    static_cast<void>(window.panel(workspace, panel));
    window.hold_mouse(0, false);
    static_cast<void>(window.panel(workspace, panel));
    window.move_mouse(-1, -1);
    workspace.update();
  }
  const Scene scene = scene_with_blocks();
  const std::shared_ptr<Catalogue> catalogue =
      std::make_shared<Catalogue>(std::vector<Scene>{scene});
  NullWindow window{1600, 900};
};

TEST_F(OccupancyPanels, SayWhatIsMissingAndWhy) {
  auto workspace = show({LogLine{"info", "recorded for a test", 0}});
  EXPECT_THAT(window.panel(*workspace, "occupancy"), HasSubstr("There is no compiler here"));
  workspace->selection.variant = "";
  EXPECT_THAT(window.panel(*workspace, "occupancy"), HasSubstr("Nothing is selected"));
  workspace->selection.variant = "tensor_tiled";
  EXPECT_THAT(window.panel(*workspace, "occupancy"), HasSubstr("calls a library"));
}

TEST_F(OccupancyPanels, PredictTheLaunchThatFailsAndMendItWithOneClick) {
  auto workspace = show({compiled(90, 255), compiled(86, 255)});
  EXPECT_THAT(window.panel(*workspace, "occupancy"),
              AllOf(HasSubstr(std::string("launch failed on sm_90: ") + kSentence),
                    HasSubstr("use block_size = 256"), HasSubstr("sm_86"), HasSubstr("255")));
  ASSERT_THAT(window.panel_under(*workspace, "occupancy", "The nearest value at which it starts"),
              HasSubstr("The nearest value at which it starts"));
  click(*workspace, "occupancy");
  EXPECT_EQ(workspace->selection.axes.integer("block_size"), 256);
  workspace->undo();
  EXPECT_EQ(workspace->selection.axes.integer("block_size"), 512);
}

TEST_F(OccupancyPanels, ShowSpillsAndWhatLimitsALaunchThatStarts) {
  auto workspace = show({compiled(90, 128)});
  EXPECT_THAT(window.panel(*workspace, "occupancy"),
              AllOf(HasSubstr("720 / 830"), HasSubstr("25.00 %"), HasSubstr("registers"),
                    Not(HasSubstr("launch failed"))));
}

TEST_F(OccupancyPanels, ShowTheCardThatIsChosenAndSayWhatIsNotCheckedOnIt) {
  auto workspace = show({compiled(90, 128), compiled(75, 64)});
  EXPECT_THAT(window.panel(*workspace, "occupancy"),
              AllOf(HasSubstr("sm_75"), HasSubstr("sm_90"), Not(HasSubstr("not checked"))));
  ASSERT_THAT(window.panel_under(*workspace, "occupancy", "sm_75 (T4, RTX 20): its rows"),
              HasSubstr("No such GPU is needed"));
  click(*workspace, "occupancy");
  EXPECT_THAT(window.panel(*workspace, "occupancy"),
              AllOf(HasSubstr("on sm_75 (T4, RTX 20) are the compiler's"),
                    HasSubstr("not checked on that hardware"), Not(HasSubstr("sm_90 multiply"))));
  EXPECT_STREQ(window.panels.occupancy.filter.text, "sm_75");
}

TEST_F(OccupancyPanels, TakeWhatAMeasurementKeptWhereNothingWasCompiled) {
  auto workspace = show({failing()});
  EXPECT_THAT(window.panel(*workspace, "occupancy"), HasSubstr(kSentence));
}

TEST_F(OccupancyPanels, SayWhyThereIsNoCodeForAnArchitecture) {
  Compilation refused = compiled(100, 255);
  refused.steps[0].resources.reset();
  refused.steps[0].refusal = "it is written for sm_90a alone";
  auto workspace = show({compiled(90, 128), refused});
  EXPECT_THAT(window.panel(*workspace, "occupancy"),
              HasSubstr("not compiled: it is written for sm_90a alone"));
}

TEST_F(OccupancyPanels, AFailedLaunchHasNoTimeAndARemedyInVariants) {
  auto workspace = show({failing()});
  const std::string words = window.panel(*workspace, "variants");
  EXPECT_THAT(words, HasSubstr("use block_size = 256"));
  ASSERT_THAT(window.panel_under(*workspace, "variants", "Undo takes it back"),
              AllOf(HasSubstr("launch failed"), HasSubstr(kSentence)));
  click(*workspace, "variants");
  EXPECT_EQ(workspace->selection.axes.integer("block_size"), 256);
  // The roofline has no dot of it: there is no point to judge.
  EXPECT_THAT(window.panel(*workspace, "metrics"), Not(HasSubstr("µs")));
}

TEST_F(OccupancyPanels, OutputsBesideTheBaselineStandInTheTooltip) {
  OutputPair pair;
  const auto key = [&](const char* variant) {
    return configuration_key(scene.axes, default_configuration(scene.axes), variant);
  };
  pair.first = {scene.name, "tiled", key("tiled"), "", "emulator"};
  pair.second = {scene.name, "plain", key("plain"), "", "emulator"};
  pair.conditions.device = "emulator";
  OutputDifference d;
  d.output = "c";
  d.type = "f32";
  d.elements = 4096;
  d.bit_equal = 12;
  d.most_ulps = 3;
  d.at = "c[0, 7]";
  pair.outputs = {d};
  auto workspace = show({failing(), pair});
  EXPECT_THAT(
      window.panel_under(*workspace, "variants", "bit by bit"),
      HasSubstr("Beside plain, bit by bit: c: 12 of 4 096 elements bit-equal; at most 3 ulps"));
}

}  // namespace
}  // namespace warpscope
