// tests/workbench/client/gpu_kill_test.cpp: after kill -9 of a workbench an endless kernel ends
// too, and the device is free.
#include <gmock/gmock.h>
#include <signal.h>
#include <unistd.h>

#include <fstream>

#include "scenes/host/paths.h"
#include "tests/folders.h"
#include "tests/workbench/client/kill_fixture.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

class GpuKill : public KillTest {
 protected:
  void SetUp() override {
    KillTest::SetUp();
    if (!fs::exists(built_program("warpscope-engine"))) GTEST_SKIP() << "the engine is not built";
    if (wait_for(start({"doctor"}, "", {real_engine()}), 120) != 0)
      GTEST_SKIP() << "there is no GPU to measure on";
    // The product's kernels, one of them with a text that does not end.
    const Result<fs::path> real = home_folder();
    ASSERT_TRUE(real) << sentence(real.error());
    fs::create_directories(path("home/assets"));
    fs::copy(*real / "kernels", path("home/kernels"), fs::copy_options::recursive);
    std::ofstream(path("home/kernels/csrmm/float4_columns.cu"))
        << "extern \"C\" __global__ void float4_columns(const int* indptr, const int* indices,\n"
           "    const float* weights, const float4* b, float4* c, int m, int quads) {\n"
           "  while (*(volatile const int*)indptr >= 0) {}\n}\n";
  }
  static std::string real_engine() {
    return "WARPSCOPE_ENGINE=" + built_program("warpscope-engine");
  }
  std::vector<std::string> environment() const {
    return {real_engine(), "WARPSCOPE_HOME=" + path("home")};
  }
  // A job that the device works on without end: it was begun, and nothing more is heard of it.
  pid_t start_endless(const std::string& session) {
    const pid_t command = start({"sweep", "csrmm/float4_columns", "m=1000", "k=1000", "n=32,64,128",
                                 "--limit", "60", "--session", path(session)},
                                "", environment());
    EXPECT_TRUE(
        wait_until([&] { return text("err").find("no answer for") != std::string::npos; }, 120))
        << text("err");
    return command;
  }
  void expect_device_free() {
    EXPECT_EQ(wait_for(start({"measure", "csrmm/rows_per_block", "m=1000", "k=1000", "--time-limit",
                              "0.2", "--wait", "2", "--session", path("run.wsj")},
                             "", environment()),
                       120),
              0)
        << text("err");
  }
};

TEST_F(GpuKill, OfACommandEndsAnEndlessKernel) {
  for (int round = 0; round < (kill_rounds() + 9) / 10; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    const pid_t command = start_endless("run.wsj");
    kill_hard(command);
    ASSERT_TRUE(all_gone());
    expect_device_free();
    if (HasFailure()) return;
  }
}

TEST_F(GpuKill, OfACommandThatIsAskedToEndEndsAnEndlessKernel) {
  const pid_t command = start_endless("run.wsj");
  ::kill(command, SIGTERM);
  EXPECT_EQ(wait_for(command, 10), 3) << text("err");
  ASSERT_TRUE(all_gone());
  expect_device_free();
}

TEST_F(GpuKill, OfACommandInTheMiddleOfMeasuringLosesNoLine) {
  for (int round = 0; round < kill_rounds(); ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    const std::size_t before = text("run.wsj").size();
    const pid_t command =
        start({"sweep", "csrmm/rows_per_block", "m=1000", "k=1000", "n=8:512:40", "--time-limit",
               "0.05", "--wait", "10", "--session", path("run.wsj")},
              "", environment());
    ASSERT_TRUE(wait_until([&] { return !kept_in("run.wsj", before).answered.empty(); }, 120))
        << text("err");
    pause_up_to(500);
    kill_hard(command);
    ASSERT_TRUE(all_gone());
    const std::string file = text("run.wsj");
    const Kept kept = kept_in("run.wsj", before);
    EXPECT_LE(kept.torn, file.back() != '\n' ? 1 : 0);
    for (std::size_t i = 0; i < kept.answered.size(); ++i)
      EXPECT_EQ(kept.answered[i], static_cast<std::int64_t>(i + 1)) << "an answer is missing";
    if (HasFailure()) return;
  }
  expect_device_free();
}

// Two engines on one device never time beside each other: the real lock.
TEST_F(GpuKill, OfTheHolderLetsTheNextEngineIn) {
  const pid_t holder = start_endless("run.wsj");
  EXPECT_EQ(
      wait_for(start({"measure", "csrmm/rows_per_block", "--wait", "1"}, "", environment()), 60),
      3);
  EXPECT_THAT(text("err"),
              testing::HasSubstr("the device is held by pid " + std::to_string(holder) + " of "));
  kill_hard(holder);
  expect_device_free();
}

}  // namespace
}  // namespace warpscope
