// tests/profiling/plans/sweep_state_test.cpp: the file that says how far a sweep is.
#include "profiling/plans/sweep_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

namespace warpscope {
namespace {

SweepState example() {
  SweepState state;
  state.host = host_name();
  state.process = ::getpid();
  state.command = "warpscope sweep --resume a.plan";
  state.done = 12;
  state.of = 400;
  state.left_s = 33.5;
  state.devices = {{"device 0: NVIDIA H200", "csrmm/auto n=64: warm samples", 7, 1, false},
                   {"device 1", "no such device", 5, 0, true}};
  return state;
}

TEST(SweepStates, AreReadAsTheyWereWritten) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("warpscope-state-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const auto session = folder / "a.wsj";
  EXPECT_FALSE(read_sweep_state(session));
  std::ofstream(sweep_state_file(session)) << to_text(example());
  const auto state = read_sweep_state(session);
  ASSERT_TRUE(state);
  EXPECT_EQ(to_text(*state), to_text(example()));
  EXPECT_EQ(state->devices.at(1).doing, "no such device");
  EXPECT_TRUE(state->devices.at(1).gone);
  std::ofstream(sweep_state_file(session)) << to_text(example()).substr(0, 40);
  EXPECT_FALSE(read_sweep_state(session)) << "torn";
  std::ofstream(sweep_state_file(session)) << "{\"host\": 3}";
  EXPECT_FALSE(read_sweep_state(session));
  std::filesystem::remove_all(folder);
}

TEST(SweepStates, KnowWhetherTheProgramIsThere) {
  SweepState state = example();
  EXPECT_EQ(is_running(state), true);
  state.ended = "cancelled";
  EXPECT_EQ(is_running(state), false);
  state.ended.clear();
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  state.process = child;
  EXPECT_EQ(is_running(state), false) << "it was killed";
  state.host = "another";
  EXPECT_EQ(is_running(state), std::nullopt);
}

}  // namespace
}  // namespace warpscope
