// tests/workbench/client/device_wait_test.cpp: a second engine waits for the device, and what a
// person is told of engines that do not answer.
#include <gmock/gmock.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>

#include "tests/workbench/client/kill_fixture.h"

namespace warpscope {
namespace {

using testing::HasSubstr;

class DeviceWait : public KillTest {
 protected:
  // What the fake engines of this test take for their device.
  std::string device() const { return "FAKE_ENGINE_DEVICE=" + path("device"); }
  // A command whose engine holds the device and never ends its job.
  pid_t start_holder() {
    const pid_t holder = start(sweep_words("warp_row_zero_test", 2), "endless", {device()});
    EXPECT_TRUE(wait_until([&] { return !logged("begin").empty(); })) << text("err");
    return holder;
  }
  static std::vector<std::string> measure(const std::vector<std::string>& more) {
    std::vector<std::string> words = {"measure", "csrmm/float4_columns"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  // Sentences on standard error.
  std::ptrdiff_t sentences() const {
    const std::string said = text("err");
    return std::count(said.begin(), said.end(), '\n');
  }
};

TEST_F(DeviceWait, SaysWhoHoldsTheDeviceAndEndsWithStatusThree) {
  const pid_t holder = start_holder();
  const std::string who = "pid " + std::to_string(holder) + " of ";
  EXPECT_EQ(wait_for(start(measure({"--wait", "1"}), "busy", {device()}), 30), 3);
  EXPECT_THAT(text("err"), HasSubstr("waiting for the device since 0 s: it is held by " + who));
  EXPECT_THAT(text("err"), HasSubstr("`warpscope sweep csrmm/warp_row_zero_test n=1,2`"));
  EXPECT_THAT(text("err"), HasSubstr("the device is held by " + who));
  EXPECT_THAT(
      text("err"),
      HasSubstr(
          "did not become free within 1 s; wait until that ends, or wait longer with --wait"));
  EXPECT_EQ(sentences(), 2) << text("err");
  EXPECT_EQ(wait_for(start({"roofs", "--wait", "0"}, "busy", {device()}), 30), 3);
  EXPECT_THAT(text("err"), HasSubstr(who));
  // It says so on standard output, where its findings stand.
  EXPECT_EQ(wait_for(start({"doctor", "--wait", "0"}, "busy", {device()}), 30), 3);
  EXPECT_EQ(wait_for(start(measure({}), "busy"), 30), 0) << "another device is free";
  kill_hard(holder);
}

TEST_F(DeviceWait, MeasuresWhenTheHolderIsKilled) {
  const pid_t holder = start_holder();
  const pid_t second = start(measure({"--wait", "25"}), "busy", {device()});
  ASSERT_TRUE(wait_until([&] { return text("err").find("waiting") != std::string::npos; }));
  kill_hard(holder);
  EXPECT_EQ(wait_for(second, 20), 0) << text("err");
  EXPECT_EQ(sentences(), 1) << text("err");
}

TEST_F(DeviceWait, NeverLetsTwoEnginesWorkAtOnce) {
  std::vector<pid_t> commands;
  for (int i = 0; i < 3; ++i)
    commands.push_back(start(sweep_words("float4_columns", 10), "busy", {device()}));
  for (const pid_t command : commands) EXPECT_EQ(wait_for(command, 60), 0) << text("err");
  // Between “begin” and “sent” of a job nothing stands of another engine's.
  std::istringstream log(text("engine.log"));
  std::string running;
  int jobs = 0;
  for (std::string line; std::getline(log, line);) {
    if (line.starts_with("begin ")) {
      EXPECT_EQ(running, "") << "two at once";
      running = line.substr(6);
    } else if (line.starts_with("sent ")) {
      EXPECT_EQ(running, line.substr(5));
      running.clear();
      ++jobs;
    }
  }
  EXPECT_EQ(jobs, 30);
}

TEST_F(DeviceWait, DoesNotHoldTheDeviceWhileAJobPreparesOnTheHost) {
  std::vector<pid_t> commands;
  for (int i = 0; i < 3; ++i)
    commands.push_back(start(sweep_words("float4_columns", 10), "preparing", {device()}));
  for (const pid_t command : commands) EXPECT_EQ(wait_for(command, 60), 0) << text("err");
  std::istringstream log(text("engine.log"));
  bool running = false;
  int jobs = 0, turns = 0;
  std::string prepares;
  for (std::string line; std::getline(log, line);) {
    if (line.starts_with("prepare ")) {
      turns += line == prepares ? 0 : 1;
      prepares = line;
    } else if (line.starts_with("begin ")) {
      EXPECT_FALSE(running) << "two on the device at once";
      running = true;
    } else if (line.starts_with("sent ")) {
      running = false;
      ++jobs;
    }
  }
  EXPECT_EQ(jobs, 30);
  EXPECT_GT(turns, 10) << "an engine that prepares keeps the others waiting";
}

TEST_F(DeviceWait, EndsWhenAnIdleWindowLetsGoOfTheDevice) {
  if (std::getenv("DISPLAY") == nullptr) GTEST_SKIP() << "there is no display";
  const pid_t window = start({}, "busy", {device()});
  ASSERT_TRUE(wait_until([&] { return !logged("sent").empty(); })) << text("err");
  EXPECT_EQ(wait_for(start(measure({"--wait", "25"}), "busy", {device()}), 40), 0) << text("err");
  EXPECT_EQ(::kill(window, SIGTERM), 0) << "the window is there";
  EXPECT_EQ(wait_for(window, 20), 0);
}

TEST_F(DeviceWait, OfAnEngineThatHangsIsSaidEarlyAndEndsAtTheLimit) {
  const auto start_time = std::chrono::steady_clock::now();
  const pid_t command = start({"measure", "csrmm/warp_row_zero_test", "--limit", "8"}, "endless");
  ASSERT_TRUE(wait_until([&] { return !text("err").empty(); }));
  EXPECT_LT(std::chrono::steady_clock::now() - start_time, std::chrono::seconds(8));
  EXPECT_THAT(text("err"), HasSubstr("no answer for 5 s from the engine about "
                                     "csrmm/warp_row_zero_test; it is ended after 8 s; Ctrl-C ends "
                                     "it now"));
  EXPECT_EQ(wait_for(command, 30), 1);
  EXPECT_THAT(text("err"), HasSubstr("it did not end within 8"));
  EXPECT_THAT(text("err"), HasSubstr("--limit"));
  EXPECT_TRUE(all_gone());
}

TEST_F(DeviceWait, OfAnEngineThatNeverSpeaksIsSaidEarlyAndShort) {
  const pid_t command = start(measure({}), "mute");
  ASSERT_TRUE(wait_until([&] { return !text("err").empty(); }));
  EXPECT_THAT(text("err"), HasSubstr("the engine has not said hello for 5 s; without a sign of "
                                     "life it is given up after 15 s; Ctrl-C ends it now"));
  EXPECT_EQ(wait_for(command, 40), 3);
  EXPECT_THAT(text("err"),
              HasSubstr("the engine does not start: the engine said nothing for 15 s"));
  EXPECT_TRUE(all_gone());
}

TEST_F(DeviceWait, IsNotSaidOfAJobThatTakesItsTime) {
  EXPECT_EQ(wait_for(start(measure({}), "long"), 60), 0) << text("err");
  EXPECT_EQ(text("err"), "");
}

}  // namespace
}  // namespace warpscope
