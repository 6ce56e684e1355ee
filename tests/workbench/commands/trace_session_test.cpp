// tests/workbench/commands/trace_session_test.cpp: a session of a file's own traces opens in the
// window with its diagrams.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/scenes/folder_parts.h"
#include "tests/workbench/commands/run_warpscope.h"
#include "workbench/workspace/trace_state.h"
#include "workbench/workspace/workspace.h"

namespace warpscope {
namespace {

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
  const WarpscopeRun run = run_warpscope(
      "trace --source " + path("scaled.cu") +
      " --kernel scaled --grid 5 --block 64 --arg f32[300]:iota --arg f32[300]:unset --arg i32:300 "
      "--session " +
      path("out.wsj"));
  ASSERT_EQ(run.status, 0) << run.said;
  const Launch launch = shown_launch(path("out.wsj"));
  EXPECT_EQ(launch.grid.x, 5);
  EXPECT_EQ(launch.block.x, 64);
  for (const TracedBuffer& buffer : trace_state(workspace_.view(), "scaled").trace->buffers) {
    EXPECT_TRUE(buffer.name != "in" || buffer.bytes == 300 * 4) << buffer.bytes;
  }
}

}  // namespace
}  // namespace warpscope
