// tests/workbench/panels/launch_panel_test.cpp: a kernel's file in Launch: its kernels and
// parameters, what is typed, run, undone and written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <imgui.h>

#include <filesystem>
#include <memory>

#include "profiling/launches/launch_file.h"
#include "scenes/host/input_file.h"
#include "tests/scenes/folder_parts.h"
#include "tests/workbench/window/null_window.h"
#include "tests/workbench/workspace/finish_work.h"
#include "workbench/client/own_binary.h"
#include "workbench/panels/launch/launch_form.h"
#include "workbench/panels/launch/launch_text.h"
#include "workbench/workspace/trace_state.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kProgram = R"(
__constant__ float table[4];
__global__ void scaled(const float* in, float* out, float by, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = by * in[i] + table[i % 4];
}
__global__ void alone(float* out) { out[threadIdx.x] = 1; }
int main() {
  const int n = 5000;
  float *in, *out, host[4] = {1, 2, 3, 4};
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  cudaMemcpyToSymbol(table, host, sizeof host);
  scaled<<<(n + 127) / 128, 128>>>(in, out, 2.5f, n);
}
)";

class LaunchPanelTest : public testing::Test {
 protected:
  LaunchPanelTest() : folder_(std::string("launch_panel/") + name()) {
    folder_.write("scaled.cu", kProgram);
    const auto opened = workspace_.catalogue()->open_file(file());
    EXPECT_TRUE(opened) << sentence(opened.error());
    EXPECT_TRUE(workspace_.begin_at("scaled"));
    workspace_.selection.variant = "scaled";
  }
  static std::string name() {
    return testing::UnitTest::GetInstance()->current_test_info()->name();
  }
  static std::vector<std::string> emulator() {
    const std::string engine = built_program("warpscope-engine");
    return fs::exists(engine) ? std::vector<std::string>{engine, "--role", "emulate"}
                              : std::vector<std::string>{};
  }
  fs::path file() const { return folder_.path() / "scaled.cu"; }
  std::string draw() {
    workspace_.update();
    return window_->panel(workspace_, "launch");
  }
  LaunchForm form() {
    return launch_form(edited(workspace_.catalogue()->text("scaled")->description, draft()),
                       workspace_.selection.variant);
  }
  DescriptionEdits& draft() { return window_->panels.launch.draft; }
  Launch launch() {
    const Scene& scene = workspace_.scene();
    const Configuration at =
        for_variant(scene.axes, workspace_.selection.axes, workspace_.selection.variant);
    const Variant& variant = *find_variant(scene, workspace_.selection.variant);
    for (const Step& step : variant.steps({at, {}})) {
      if (const auto* kernel = std::get_if<KernelLaunch>(&step.action)) return kernel->launch;
    }
    return {};
  }
  void press_run() {
    window_->panels.launch.run = true;
    draw();
    workspace_.update();
  }
  void rest() { finish_work(workspace_); }
  // Puts the pointer where the words are drawn, and presses.
  void click(const std::string& part) {
    ASSERT_THAT(window_->panel_under(workspace_, "launch", part), HasSubstr(part));
    window_->hold_mouse(0, true);
    static_cast<void>(window_->panel(workspace_, "launch"));
    window_->hold_mouse(0, false);
    static_cast<void>(window_->panel(workspace_, "launch"));
  }

  OwnFolder folder_;
  Workspace workspace_{{}, emulator()};
  std::unique_ptr<NullWindow> window_ = std::make_unique<NullWindow>(1280, 720);
};

TEST_F(LaunchPanelTest, HasTheKernelsAndAFieldPerParameter) {
  const std::string words = draw();
  EXPECT_THAT(words, AllOf(HasSubstr("scaled"), HasSubstr("alone"), HasSubstr("ceil_div(n, 128)"),
                           HasSubstr("const float*"), HasSubstr("2.5"), HasSubstr("random"),
                           HasSubstr("table"), HasSubstr("__constant__"), HasSubstr("unset")));
  const LaunchForm all = form();
  ASSERT_EQ(all.arguments.size(), 4u);
  EXPECT_EQ(all.arguments[0].name, "in");
  EXPECT_EQ(all.arguments[2].type, "f32");
  EXPECT_EQ(all.arguments[2].value, "2.5");
  EXPECT_EQ(all.arguments[3].value, "n");
  ASSERT_NE(all.buffer("in"), nullptr);
  EXPECT_EQ(all.buffer("in")->count.text, "n");
  EXPECT_EQ(all.grid[0].line, 14);
  workspace_.selection.variant = "alone";
  EXPECT_THAT(draw(), HasSubstr("?")) << "the program does not launch it";
}

TEST_F(LaunchPanelTest, IsForFilesAlone) {
  EXPECT_TRUE(find_panel("launch")->belongs(workspace_.view()));
  workspace_.selection.scene = "csrmm";
  workspace_.update();
  EXPECT_FALSE(find_panel("launch")->belongs(workspace_.view()));
  EXPECT_THAT(draw(), HasSubstr("not a kernel's file"));
}

TEST_F(LaunchPanelTest, WhatIsTypedIsRunWhenAskedForAndCanBeUndone) {
  draw();
  set_extent(draft(), form(), "block", 0, "64");
  EXPECT_THAT(draw(), HasSubstr("● changed"));
  EXPECT_EQ(launch().block.x, 128) << "nothing runs before it is asked for";
  press_run();
  EXPECT_EQ(launch().block.x, 64);
  EXPECT_THAT(draw(), Not(HasSubstr("● changed")));
  workspace_.undo();
  workspace_.update();
  EXPECT_EQ(launch().block.x, 128);
  draw();
  EXPECT_EQ(form().block[0].text, "128") << "the form follows";
  workspace_.redo();
  workspace_.update();
  EXPECT_EQ(launch().block.x, 64);
  EXPECT_EQ(read_input(file(), 1 << 20).value(), kProgram) << "nothing is written";
}

TEST_F(LaunchPanelTest, AMistakeIsSaidAtOnceAndIsNotRun) {
  draw();
  set_extent(draft(), form(), "block", 0, "2048");
  EXPECT_THAT(draw(), HasSubstr("a block has 2048 threads: at most 1024"));
  press_run();
  EXPECT_EQ(launch().block.x, 128);
  set_extent(draft(), form(), "block", 0, "128");
  set_extent(draft(), form(), "grid", 0, "ceil_div(m, 128)");
  EXPECT_THAT(draw(), AllOf(HasSubstr("variants.scaled.grid"), HasSubstr("m")));
  set_extent(draft(), form(), "grid", 0, "4");
  set_count(draft(), *form().buffer("in"), "n * ");
  EXPECT_THAT(draw(), HasSubstr("buffers.in.count"));
}

TEST_F(LaunchPanelTest, ControlEnterRunsItFromAnywhere) {
  window_->state.centre_tab = "launch";
  window_->step(workspace_);
  set_extent(draft(), form(), "block", 0, "32");
  window_->hold_control(true);
  window_->press(workspace_, ImGuiKey_Enter);
  window_->hold_control(false);
  for (int i = 0; i < 3; ++i) window_->step(workspace_);
  EXPECT_EQ(launch().block.x, 32);
}

// n = 5000 at 128 threads: the last block has 8 of 128 lanes at work; all 5000 elements are read.
TEST_F(LaunchPanelTest, ARunHasItsTraceWithoutAGpu) {
  if (emulator().empty()) GTEST_SKIP() << "no engine is built here";
  draw();
  set_extent(draft(), form(), "block", 0, "64");
  press_run();
  rest();
  const TraceState state = trace_state(workspace_.view(), "scaled");
  ASSERT_NE(state.trace, nullptr) << (state.failure ? sentence(*state.failure) : "no trace");
  EXPECT_EQ(state.trace->launch.block.x, 64);
  EXPECT_EQ(state.trace->launch.grid.x, 40) << "its grid stays 5000 / 128";
  EXPECT_THAT(draw(), HasSubstr("it ran"));
}

TEST_F(LaunchPanelTest, AGuessLeadsToItsLineInSource) {
  draw();
  click("cudaMalloc(&in");
  EXPECT_EQ(workspace_.selection.show_source.line, 11);
  EXPECT_EQ(workspace_.selection.show_source.file, "scaled/scaled.cu");
  EXPECT_EQ(workspace_.selection.wanted_panel, "source");
}

TEST_F(LaunchPanelTest, ASceneIsMadeOnceAndOpened) {
  draw();
  set_extent(draft(), form(), "block", 0, "64");
  press_run();
  const fs::path to = folder_.path() / "kept";
  workspace_.requests.ask(request::MakeScene{to.string()});
  workspace_.update();
  EXPECT_EQ(workspace_.selection.scene, "kept");
  workspace_.update();
  EXPECT_EQ(workspace_.view().shown.folder(), fs::weakly_canonical(to));
  EXPECT_EQ(launch().block.x, 64);
  EXPECT_TRUE(fs::exists(to / "scene.toml"));
  EXPECT_EQ(read_input(to / "scaled.cu", 1 << 20).value(), kProgram);
}

TEST_F(LaunchPanelTest, AFolderThatIsThereIsNotOverwritten) {
  fs::create_directories(folder_.path() / "kept");
  folder_.write("kept/scene.toml", "mine");
  workspace_.requests.ask(request::MakeScene{(folder_.path() / "kept").string()});
  workspace_.update();
  EXPECT_EQ(workspace_.selection.scene, "scaled");
  EXPECT_THAT(workspace_.log.notices().back(), HasSubstr("is not overwritten"));
  EXPECT_EQ(read_input(folder_.path() / "kept" / "scene.toml", 100).value(), "mine");
}

TEST_F(LaunchPanelTest, TheFolderOfTheFilesNameTakesItsPlace) {
  const fs::path to = folder_.path() / "scaled";
  workspace_.requests.ask(request::MakeScene{to.string()});
  workspace_.update();
  workspace_.update();
  EXPECT_EQ(workspace_.selection.scene, "scaled");
  EXPECT_EQ(workspace_.view().shown.folder(), fs::weakly_canonical(to));
}

TEST_F(LaunchPanelTest, ItsLaunchFileIsReadAsTheSameLaunch) {
  draw();
  set_extent(draft(), form(), "block", 0, "32");
  set_extent(draft(), form(), "block", 1, "2");
  set_fill(draft(), described_fields(workspace_.catalogue()->text("scaled")->description), "in",
           {"range", "0:9"});
  const std::string description =
      edited(workspace_.catalogue()->text("scaled")->description, draft());
  const LaunchForm all = launch_form(description, "scaled");
  const std::string text = launch_text(all, description, "scaled.cu",
                                       entry_of(description, "scaled"), workspace_.selection.axes);
  const auto read = parse_launch_file(text, folder_.path() / "scaled.toml");
  ASSERT_TRUE(read) << sentence(read.error()) << "\n" << text;
  const UserLaunch& launch = read->user.launches.front();
  EXPECT_EQ(read->user.path, file());
  EXPECT_EQ(launch.launch.grid.x, 40);
  EXPECT_EQ(launch.launch.block.x, 32);
  EXPECT_EQ(launch.launch.block.y, 2);
  EXPECT_THAT(launch.arguments, ElementsAre("&in", "&out", "f32:2.5", "i32:5000"));
  ASSERT_GE(read->user.buffers.size(), 2u);
  EXPECT_EQ(read->user.buffers[0].second, "f32[5000]:range 0:9");
  ASSERT_EQ(launch.variables.size(), 1u);
  EXPECT_THAT(launch.variables[0], HasSubstr("table=f32[4]"));
}

TEST_F(LaunchPanelTest, AnOpenedFileShowsIt) {
  Workspace other({}, {});
  FrameState state;
  open_file(other, state, file());
  EXPECT_EQ(other.selection.scene, "scaled");
  EXPECT_EQ(other.selection.wanted_panel, "launch");
}

TEST_F(LaunchPanelTest, PtxRunsWithItsGuesses) {
  const fs::path ptx = source_folder() / "tests" / "emulator" / "foreign" / "triton_add.ptx";
  Workspace other({}, emulator());
  FrameState state;
  open_file(other, state, ptx);
  other.update();
  EXPECT_EQ(other.selection.wanted_panel, "launch");
  ASSERT_EQ(other.scene().name, "triton_add");
  EXPECT_THAT(window_->panel(other, "launch"),
              AllOf(HasSubstr("argument_1"), HasSubstr("add"), HasSubstr("128")));
  if (emulator().empty()) return;
  other.requests.ask(request::Trace{other.selection.variant});
  finish_work(other);
  const TraceState trace = trace_state(other.view(), "add");
  ASSERT_NE(trace.trace, nullptr) << (trace.failure ? sentence(*trace.failure) : "no trace");
  EXPECT_EQ(trace.trace->launch.block.x, 128);
}

}  // namespace
}  // namespace warpscope
