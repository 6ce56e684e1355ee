// tests/workbench/commands/trace_session_test.cpp: a session of a file's own traces opens in the
// window with its diagrams.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/folders.h"
#include "tests/scenes/folder_parts.h"
#include "tests/workbench/commands/run_warpscope.h"
#include "tests/workbench/window/null_window.h"
#include "tests/workbench/workspace/finish_work.h"
#include "workbench/panels/launch/launch_form.h"
#include "workbench/panels/panels.h"
#include "workbench/workspace/trace_state.h"
#include "workbench/workspace/workspace.h"

namespace warpscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kProgram = R"(
__global__ void scaled(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
}
int main() {
  const int n = 1000;
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  scaled<<<(n + 127) / 128, 128>>>(in, out, n);
}
)";

class TraceSession : public testing::Test {
 protected:
  void SetUp() override { folder_.write("scaled.cu", kProgram); }
  std::string path(const char* name) const { return (folder_.path() / name).string(); }
  void write_session_of_launch() const {
    const WarpscopeRun run =
        run_warpscope("trace --source " + path("scaled.cu") +
                      " --kernel scaled --grid 5 --block 64 --arg f32[300]:iota "
                      "--arg f32[300]:unset --arg i32:300 --session " +
                      path("out.wsj"));
    ASSERT_EQ(run.status, 0) << run.said;
  }
  // The trace that the window shows of a session, which it opens without the file.
  Launch shown_launch(const std::string& session) {
    std::filesystem::remove(path("scaled.cu"));
    const Result<void> opened = workspace_.open(std::filesystem::path(session));
    EXPECT_TRUE(opened) << sentence(opened.error());
    EXPECT_EQ(workspace_.scene().name, "scaled");
    const TraceState state = trace_state(workspace_.view(), "scaled");
    EXPECT_EQ(state.freshness, Freshness::fresh) << state.why_stale;
    EXPECT_NE(state.trace, nullptr);
    return state.trace == nullptr ? Launch{} : state.trace->launch;
  }
  OwnFolder folder_{"trace_session"};
  Workspace workspace_{{}, {}};
};

TEST_F(TraceSession, OfAProgramOpensWithItsDiagrams) {
  const WarpscopeRun run =
      run_warpscope("trace " + path("scaled.cu") + " --session " + path("out.wsj"));
  ASSERT_EQ(run.status, 0) << run.said;
  const Launch launch = shown_launch(path("out.wsj"));
  EXPECT_EQ(launch.grid.x, 8) << "1000 elements in blocks of 128";
  EXPECT_EQ(launch.block.x, 128);
}

TEST_F(TraceSession, OfALaunchOnTheCommandLineHasThatLaunch) {
  ASSERT_NO_FATAL_FAILURE(write_session_of_launch());
  const Launch launch = shown_launch(path("out.wsj"));
  EXPECT_EQ(launch.grid.x, 5);
  EXPECT_EQ(launch.block.x, 64);
  for (const TracedBuffer& buffer : trace_state(workspace_.view(), "scaled").trace->buffers) {
    EXPECT_TRUE(buffer.name != "in" || buffer.bytes == 300 * 4) << buffer.bytes;
  }
}

// The file is gone, and the session carries its text: Launch shows the last launch, and runs
// others.
TEST_F(TraceSession, HasLaunchWithoutItsFile) {
  ASSERT_NO_FATAL_FAILURE(write_session_of_launch());
  std::filesystem::remove(path("scaled.cu"));
  Workspace workspace({}, {built_program("warpscope-engine"), "--role", "emulate"});
  ASSERT_TRUE(workspace.open(std::filesystem::path(path("out.wsj"))));
  workspace.update();
  ASSERT_TRUE(find_panel("launch")->belongs(workspace.view()));
  NullWindow window(1280, 720);
  EXPECT_THAT(
      window.panel(workspace, "launch"),
      AllOf(HasSubstr("The session contains the text of this file"), HasSubstr("grid 5, block 64"),
            HasSubstr("it ran, without a fault"), HasSubstr("const float*")));
  const std::string description = workspace.catalogue()->text("scaled")->description;
  set_extent(window.panels.launch.draft, launch_form(description, "scaled"), "block", 0, "32");
  window.panels.launch.run = true;
  window.panel(workspace, "launch");
  finish_work(workspace);
  const TraceState state = trace_state(workspace.view(), "scaled");
  ASSERT_NE(state.trace, nullptr) << (state.failure ? sentence(*state.failure) : "no trace");
  EXPECT_EQ(state.trace->launch.block.x, 32);
  EXPECT_EQ(state.trace->launch.grid.x, 5);
  EXPECT_FALSE(std::filesystem::exists(path("scaled.cu")));
  // Without an edit it is the session's launch again.
  workspace.selection.launches.erase("scaled");
  workspace.update();
  EXPECT_EQ(workspace.catalogue()->text("scaled")->description, description);
}

}  // namespace
}  // namespace warpscope
