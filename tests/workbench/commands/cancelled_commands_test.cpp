// tests/workbench/commands/cancelled_commands_test.cpp: what long commands keep and say at Ctrl-C.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "scenes/host/paths.h"
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

// Those whose result is one whole: nothing of it is kept, and the session stays whole.
TEST_F(CancelledCommands, OfOneResultSayThatNothingIsKept) {
  const std::string nothing =
      ": cancelled before there was anything to keep; run the command again";
  std::ofstream(path("gate.toml")) << "[[kernel]]\nscene = \"csrmm/float4_columns\"\n";
  const std::string exercise = (*home_folder() / "assets/exercises/saxpy").string();
  const struct {
    std::vector<std::string> words;
    std::string said;
    bool on_device = true;  // else it emulates, and has no --session
  } kCommands[] = {
      {{"warps", "csrmm/float4_columns", "--csv", path("t.csv")}, nothing},
      {{"roofs"}, nothing},
      {{"grade", exercise, "--html", path("t.html")},
       ": cancelled: nothing was graded; run the command again",
       false},
      {{"ci", path("gate.toml"), "--update"},
       ": cancelled: nothing was compared or recorded; run the command again",
       false},
  };
  int turn = 0;
  for (const auto& [words, said, on_device] : kCommands) {
    SCOPED_TRACE(words.front());
    const std::size_t begun = logged("begin").size();
    std::vector<std::string> all = words;
    const std::string kept = words.front() + ".wsj";
    if (on_device) all.insert(all.end(), {"--session", path(kept)});
    const pid_t command = start(all, on_device ? "long" : "hangs");
    ASSERT_TRUE(wait_until([&] {
      return on_device ? logged("begin").size() > begun : living().size() > 1;
    })) << text("err");
    const bool interrupt = ++turn % 2 == 0;
    ::kill(interrupt ? -command : command, interrupt ? SIGINT : SIGTERM);
    EXPECT_EQ(wait_for(command, on_device ? 2 : 8), 3) << text("err");
    EXPECT_EQ(text("err"),
              "warpscope: " + std::string(interrupt ? "Ctrl-C" : "SIGTERM") + said + "\n");
    EXPECT_EQ(text("out"), "");
    EXPECT_TRUE(all_gone());
    EXPECT_FALSE(std::filesystem::exists(path("t.csv")) || std::filesystem::exists(path("t.html")));
    if (on_device) {
      EXPECT_EQ(kept_in(kept).torn, 0);
      EXPECT_EQ(text(kept).back(), '\n');
    }
  }
}

TEST_F(CancelledCommands, AgreeSaysHowManyConfigurationsItCompared) {
  const pid_t command =
      start({"agree", "--random", "90", "patterns/copy", "--session", path("a.wsj")}, "busy");
  ASSERT_TRUE(says("3 of 90")) << text("err");
  EXPECT_EQ(cancelled(command), 3) << text("err");
  EXPECT_THAT(text("err"), HasSubstr("cancelled: what was done before is kept, "));
  EXPECT_THAT(text("err"), HasSubstr(" of 90 configurations; run the command again"));
  EXPECT_EQ(kept_in("a.wsj").torn, 0);
}

// Where no engine runs: while a session is read that a pipe gives only the beginning of.
TEST_F(CancelledCommands, WithoutAnEngineSayWhatTheirFilesAre) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  const int pipe = ::open(path("pipe").c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_GE(pipe, 0);
  read_from(path("pipe"));
  const std::vector<std::string> kCommands[] = {
      {"export", "-", "--csv", path("t.csv")},
      {"report", "-", "--out", path("t")},
      {"compare", "-", path("s.wsj")},
      {"journal", "-"},
      {"check", "-"},
      {"devices", "-"},
      {"agree", "model", "--session", "-"},
      {"merge", "-", path("s.wsj"), "--out", path("t")},
      {"render", "-", "--panel", "metrics", "--out", path("t.png")},
  };
  int turn = 0;
  for (const std::vector<std::string>& words : kCommands) {
    SCOPED_TRACE(words.front());
    const pid_t command = start(words, "good");
    ASSERT_EQ(::write(pipe, "{", 1), 1);
    int unread = 1;
    ASSERT_TRUE(wait_until([&] { return ::ioctl(pipe, FIONREAD, &unread) == 0 && unread == 0; }))
        << text("err");
    const bool interrupt = ++turn % 2 == 0;
    ::kill(interrupt ? -command : command, interrupt ? SIGINT : SIGTERM);
    EXPECT_EQ(wait_for(command, 2), 3) << text("err");
    EXPECT_EQ(text("err"), "warpscope: " + std::string(interrupt ? "Ctrl-C" : "SIGTERM") +
                               ": cancelled: every file is finished or as it was before; run the "
                               "command again\n");
    for (const char* name : {"t", "t.csv", "t.png"})
      EXPECT_FALSE(std::filesystem::exists(path(name))) << name;
  }
  ::close(pipe);
  EXPECT_TRUE(all_gone());
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
