// tests/profiling/plans/sweep_state_test.cpp: the file that says how far a sweep is.
#include "profiling/plans/sweep_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "tests/profiling/plans/swept_plan.h"

namespace warpscope {
namespace {

TEST(SweepStates, AreReadAsTheyWereWritten) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("warpscope-state-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const auto session = folder / "a.wsj";
  EXPECT_FALSE(read_sweep_state(session));
  std::ofstream(sweep_state_file(session)) << to_text(swept_plan(33.5));
  const auto state = read_sweep_state(session);
  ASSERT_TRUE(state);
  EXPECT_EQ(to_text(*state), to_text(swept_plan(33.5)));
  EXPECT_EQ(state->devices.at(1).doing, "no such device");
  EXPECT_TRUE(state->devices.at(1).gone);
  std::ofstream(sweep_state_file(session)) << to_text(swept_plan(33.5)).substr(0, 40);
  EXPECT_FALSE(read_sweep_state(session)) << "torn";
  std::ofstream(sweep_state_file(session)) << "{\"host\": 3}";
  EXPECT_FALSE(read_sweep_state(session));
  std::filesystem::remove_all(folder);
}

TEST(SweepStates, KnowWhetherTheProgramIsThere) {
  SweepState state = swept_plan(33.5);
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
