// tests/workbench/client/kill_fixture.h: the real warpscope, started, killed, and what must be left
// of it.
#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "profiling/session/session.h"

namespace warpscope {

// How often something is killed: $WARPSCOPE_KILL_ROUNDS, or few enough for every check.
int kill_rounds();

// A folder of the test's own, whose path stands in the environment or the command line of every
// process of the test: so those that live on are found.
class KillTest : public testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  // Starts the real warpscope, in a process group of its own, with these words and the fake engine
  // of this mode, whose log is path("engine.log"); standard output and error go to path("out") and
  // path("err"). More words of the environment: "A=b".
  pid_t start(const std::vector<std::string>& arguments, const std::string& mode,
              const std::vector<std::string>& environment = {});
  // What is started from now on reads this file, else /dev/null.
  void read_from(const std::string& file) { input_ = file; }
  // Waits for a process of ours; −1: it did not end in time (and is killed), else its status.
  int wait_for(pid_t process, double seconds) const;
  void kill_hard(pid_t process) const;
  // Processes of this test that live, but for `besides`. One that was seen here counts until it is
  // gone altogether: a driver may take its time after the memory is let go.
  std::vector<pid_t> living(const std::set<pid_t>& besides = {}) const;
  // Whether all of them are gone within two seconds.
  testing::AssertionResult all_gone(const std::set<pid_t>& besides = {}) const;
  std::string text(const std::string& name) const;
  // Lines of the engines' log that begin so, without that.
  std::vector<std::string> logged(const std::string& word) const;
  bool wait_until(const std::function<bool()>& happened, double seconds = 30) const;
  // A moment within the work.
  void pause_up_to(int milliseconds);

  // What a session file has from `begin` on: jobs with an answer, in order. Every line must be
  // whole except `torn` ones; a line with parts of two fails.
  struct Kept {
    std::vector<std::int64_t> answered;
    std::map<std::int64_t, int> verdicts_of_death;
    std::set<std::string> roofs;  // jobs, whose answers are not among these
    int torn = 0;
  };
  Kept kept_in(const std::string& name, std::size_t begin = 0) const;
  // The jobs that the engines answered are in the file, in order, without one missing between.
  static testing::AssertionResult is_beginning(const std::vector<std::int64_t>& kept,
                                               const std::vector<std::string>& sent);

 private:
  std::filesystem::path folder_;
  std::string input_ = "/dev/null";
  mutable std::map<pid_t, std::string> seen_;  // with the time at which it was started
  std::mt19937 random_{20};
};

// "csrmm/float4_columns", "n=1,2,…": a sweep of so many points.
std::vector<std::string> sweep_words(const std::string& variant, int points);

}  // namespace warpscope
