// tests/workbench/commands/cancelled_commands_test.cpp: what long commands keep and say at Ctrl-C.
#include <gmock/gmock.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "tests/workbench/client/kill_fixture.h"

namespace warpscope {
namespace {

using testing::HasSubstr;
using testing::Not;

class CancelledCommands : public KillTest {
 protected:
  // Its status after Ctrl-C; the words must lead to more than ten seconds of work.
  int cancelled(pid_t command) const {
    ::kill(-command, SIGINT);
    return wait_for(command, 8);
  }
  bool says(const std::string& words) const {
    return wait_until([&] { return text("err").find(words) != std::string::npos; });
  }
};

TEST_F(CancelledCommands, VerifyDoesNotGoOnOnTheDevice) {
  std::vector<std::string> words = sweep_words("float4_columns", 60);
  words.front() = "verify";
  words.insert(words.end(), {"--session", path("v.wsj")});
  const pid_t command = start(words, "slow");
  ASSERT_TRUE(wait_until([&] { return text("v.wsj").find("\"done\"") != std::string::npos; }))
      << text("err");
  EXPECT_EQ(cancelled(command), 3) << text("err");
  EXPECT_THAT(text("err"), HasSubstr("cancelled: what was done before is kept, "));
  EXPECT_THAT(text("out"), HasSubstr("float4_columns"));
  EXPECT_THAT(text("out"), Not(HasSubstr("GPU")));
  EXPECT_TRUE(all_gone());
}

TEST_F(CancelledCommands, TuneSaysWhatItFoundSoFar) {
  const pid_t command =
      start({"tune", "led/window_strips", "leds=64", "--session", path("t.wsj")}, "slow");
  ASSERT_TRUE(says("3 of ")) << text("err");
  EXPECT_EQ(cancelled(command), 3) << text("err");
  EXPECT_THAT(text("out"), HasSubstr("it was stopped after "));
  EXPECT_THAT(text("out"), HasSubstr("best: "));
  EXPECT_THAT(text("err"), HasSubstr(" s left"));
  EXPECT_THAT(text("err"), HasSubstr("cancelled: what was tried is kept"));
  EXPECT_EQ(kept_in("t.wsj").torn, 0);
}

TEST_F(CancelledCommands, WithoutAnAnswerThereIsNothingToKeep) {
  const pid_t command =
      start({"measure", "csrmm/float4_columns", "n=64", "--session", path("m.wsj")}, "hangs");
  ASSERT_TRUE(wait_until([&] { return text("m.wsj").find("\"job\"") != std::string::npos; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_EQ(cancelled(command), 3) << text("err");
  EXPECT_THAT(text("err"), HasSubstr("cancelled before there was anything to keep"));
}

TEST_F(CancelledCommands, PlayKeepsItsSteps) {
  const pid_t command =
      start({"play", "coalescing", "--offscreen", "--out", path("lesson")}, "good");
  const auto pictures = [&] {
    std::error_code ignored;
    std::filesystem::directory_iterator folder(path("lesson"), ignored);
    return !ignored && std::any_of(begin(folder), end(folder), [](const auto& entry) {
      return entry.path().extension() == ".png";
    });
  };
  const bool drawn = wait_until([&] { return pictures() || !text("err").empty(); });
  if (text("err").find("EGL") != std::string::npos) GTEST_SKIP() << text("err");
  ASSERT_TRUE(drawn) << text("err");
  EXPECT_EQ(cancelled(command), 3) << text("err");
  EXPECT_THAT(text("err"), HasSubstr("cancelled: the steps before are kept"));
  EXPECT_THAT(text("lesson/index.md"), HasSubstr("1. "));
  EXPECT_TRUE(std::filesystem::exists(path("lesson/metrics.csv")));
}

}  // namespace
}  // namespace warpscope
