// tests/workbench/commands/plans/slurm_test.cpp: a plan as an array job of Slurm: the script, what
// Slurm refuses, and a real cluster whose tasks are killed, requeued and lose a node.
#include "workbench/commands/plans/slurm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <random>
#include <set>
#include <sstream>

#include "profiling/session/session.h"
#include "tests/folders.h"
#include "tests/workbench/commands/command_line.h"
#include "tests/workbench/commands/run_warpscope.h"

namespace warpscope {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(SlurmScript, HasOneTaskPerChunkAndAbsolutePaths) {
  PlannedSweep sweep;
  sweep.plan = "/scratch/it's/a.plan";
  SlurmOptions options;
  options.tasks = 8;
  const std::string plain = sbatch_script(sweep, options, "/opt/warpscope", "/scratch");
  EXPECT_THAT(plain, HasSubstr("#SBATCH --array=1-8\n"));
  EXPECT_THAT(plain, HasSubstr("#SBATCH --gres=gpu:1\n"));
  EXPECT_THAT(plain, HasSubstr("#SBATCH --requeue\n"));
  EXPECT_THAT(plain, HasSubstr("--resume '/scratch/it'\\''s/a.plan'"));
  EXPECT_THAT(plain, HasSubstr("--devices 'all'"));
  EXPECT_THAT(plain, Not(HasSubstr("--partition")));
  EXPECT_THAT(plain, Not(HasSubstr("--time")));
  options.partition = "long";
  options.time = "2:00:00";
  options.gres = "none";
  sweep.devices = "emulated,emulated";
  const std::string other = sbatch_script(sweep, options, "/opt/warpscope", "/scratch");
  EXPECT_THAT(other, HasSubstr("#SBATCH --partition=long\n"));
  EXPECT_THAT(other, HasSubstr("#SBATCH --time=2:00:00\n"));
  EXPECT_THAT(other, Not(HasSubstr("--gres")));
  EXPECT_THAT(other, HasSubstr("--devices 'emulated,emulated'"));
}

TEST(SlurmErrors, HaveARemedyEach) {
  SlurmOptions options;
  options.partition = "nope";
  const std::string begin = "sbatch: error: Batch job submission failed: ";
  // What Slurm 22.05 says.
  for (const auto& [said, remedy] :
       {std::pair("Invalid partition name specified", "sinfo -o %P"),
        std::pair("User's group not permitted to use this partition", "SBATCH_ACCOUNT"),
        std::pair("Invalid account or account/partition combination specified", "SBATCH_ACCOUNT"),
        std::pair("Access/permission denied", "administrator"),
        std::pair("Requested node configuration is not available", "--gres"),
        std::pair("Requested time limit is invalid (missing or exceeds some limit)", "%l"),
        std::pair("Invalid job array specification", "fewer tasks"),
        std::pair("Unable to contact slurm controller (connect failure)", "scontrol ping")}) {
    const Error error = error_of_sbatch({1, 0, "", begin + said + "\n"}, options);
    EXPECT_THAT(error.what, HasSubstr(said));
    EXPECT_THAT(error.where + " " + error.remedy, HasSubstr(remedy)) << said;
  }
  EXPECT_THAT(error_of_sbatch({-1, 2, "", ""}, options).what, HasSubstr("Slurm is not installed"));
}

TEST(SlurmTimes, AreReadAsSlurmWritesThem) {
  for (const auto& [text, seconds] :
       {std::pair("90", 5400.0), std::pair("30:00", 1800.0), std::pair("1:30:00", 5400.0),
        std::pair("2-12", 216000.0), std::pair("1-00:30", 88200.0),
        std::pair("1-00:00:30", 86430.0)})
    EXPECT_EQ(slurm_seconds(text), seconds) << text;
  for (const char* text : {"", "soon", "1:2:3:4", "1:", "-1", "n/a"})
    EXPECT_FALSE(slurm_seconds(text)) << text;
  EXPECT_GT(*slurm_seconds("infinite"), 1e12);
}

TEST(SlurmTimes, BeyondThePartitionsLimitAreRefused) {
  const char* lines = "main* 1:00:00\nlong infinite\nshort test 30:00\n";
  SlurmOptions options;
  const auto limit_of = [&](const char* partition, const char* time) {
    options.partition = partition;
    options.time = time;
    const auto fits = check_time_limit(options, lines);
    return fits ? std::string() : sentence(fits.error());
  };
  EXPECT_EQ(limit_of("", "60"), "");
  EXPECT_THAT(limit_of("", "1:00:01"),
              testing::AllOf(HasSubstr("the partition main allows jobs of at most 1:00:00"),
                             HasSubstr("--time 1:00:01"), HasSubstr("--tasks")));
  EXPECT_EQ(limit_of("long", "7-0"), "");
  EXPECT_THAT(limit_of("short test", "31"), HasSubstr("at most 30:00"));
  EXPECT_EQ(limit_of("unknown", "7-0"), "") << "sbatch says what is wrong with it";
}

class SlurmCommands : public CommandLine {};

TEST_F(SlurmCommands, PrintTheScriptWithoutSlurmAndSayWhereItIsMissing) {
  ASSERT_EQ(run("plan csrmm/k_tiles n=1,2 --out " + path("a.plan")).status, 0);
  const std::string none = "PATH=" + path("none");
  const Ran dry =
      run("sweep --plan " + path("a.plan") + " --slurm --tasks 2 --time 10 --dry-run", none);
  EXPECT_EQ(dry.status, 0) << dry.err;
  EXPECT_THAT(dry.out, testing::StartsWith("#!/bin/bash\n#SBATCH --job-name=warpscope-a\n"));
  expect_statuses({
      {"sweep --plan {folder}/a.plan --slurm",
       3,
       {"Slurm is not installed here", "--dry-run"},
       {},
       none},
      {"sweep --plan {folder}/a.plan --tasks 2", 2, {"--tasks", "--slurm"}},
      {"sweep --plan {folder}/a.plan --slurm --chunk 1/2", 2, {"leave out --chunk"}},
      {"sweep --slurm", 2, {"need a plan"}},
      {"sweep --plan {folder}/a.plan --slurm --tasks 0", 2, {"--tasks"}},
  });
}

// A cluster of this test's own.
class SlurmCluster : public CommandLine {
 protected:
  void SetUp() override {
    CommandLine::SetUp();
    for (const char* program : {"sbatch", "slurmctld", "slurmd", "munged", "scontrol"}) {
      if (std::system(("command -v " + std::string(program) + " >/dev/null 2>&1").c_str()) != 0)
        GTEST_SKIP() << program << " is not installed";
    }
    if (::getuid() != 0) GTEST_SKIP() << "only root can start slurmd";
    const int port = 20000 + 4 * static_cast<int>(::getpid() % 5000);
    const auto script = source_folder() / "tests/workbench/commands/plans/slurm_cluster.sh";
    // It lives as long as this pipe, which no other child of this process has (e).
    const std::string line = "bash " + script.string() + " " + path("cluster") + " " +
                             std::to_string(port) + " >" + path("slurm.log") + " 2>&1; mkdir -p " +
                             path("cluster") + "; echo ended >>" + path("cluster/state.txt");
    cluster_ = ::popen(line.c_str(), "we");
    ASSERT_NE(cluster_, nullptr);
    constexpr int kMostSeconds = 60;
    std::string state;
    for (int tenth = 0; tenth < 10 * kMostSeconds && state.empty(); ++tenth) {
      ::usleep(100'000);
      state = run_line("cat " + path("cluster/state.txt") + " 2>/dev/null").said;
    }
    if (state != "ready\n")
      GTEST_SKIP() << "Slurm does not start: " << state
                   << run_line("tail -3 " + path("slurm.log")).said;
  }
  void TearDown() override {
    if (cluster_ != nullptr) {
      ::pclose(cluster_);
      const std::string left =
          run_line("pgrep -af '^[^ ]*(slurm|munge).*" + path("cluster") + "'").said;
      EXPECT_EQ(left, "") << "they outlive the cluster";
    }
    CommandLine::TearDown();
  }
  std::string environment() const {
    return "SLURM_CONF=" + path("cluster/slurm.conf") + " WARPSCOPE_ENGINE=" + fake_engine() +
           " FAKE_ENGINE_MODE=busy";
  }
  std::string slurm(const std::string& words) const {
    return run_line("SLURM_CONF=" + path("cluster/slurm.conf") + " " + words + " 2>/dev/null").said;
  }
  std::vector<std::string> jobs(const std::string& states) const {
    std::vector<std::string> found;
    std::istringstream lines(slurm("squeue -h -r -t " + states + " -o %A"));
    for (std::string line; std::getline(lines, line);) found.push_back(line);
    return found;
  }
  // Waits for running tasks; those that Slurm put off start at once.
  bool wait_for_all() const {
    constexpr int kMostSeconds = 90;
    for (int second = 0; second < kMostSeconds; ++second) {
      const auto waiting = jobs("PD");
      if (waiting.empty() && jobs("R,CG").empty()) return true;
      for (const std::string& job : waiting)
        slurm("scontrol update jobid=" + job + " starttime=now");
      ::sleep(1);
    }
    return false;
  }
  std::set<std::string> points_of(const std::string& name) const {
    std::set<std::string> points;
    const auto reading = read_session(path(name));
    EXPECT_TRUE(reading) << sentence(reading.error());
    if (!reading) return points;
    for (const Measurement* m : reading->session.all_points())
      EXPECT_TRUE(
          points.insert(m->variant + " " + m->key + " " + to_text(m->verdict.outcome)).second)
          << "twice: " << m->key;
    return points;
  }

 private:
  FILE* cluster_ = nullptr;
};

TEST_F(SlurmCluster, RefusesWhatItDoesNotHaveInOneSentence) {
  ASSERT_EQ(run("plan csrmm/k_tiles n=1,2 --out " + path("a.plan")).status, 0);
  const std::string here = environment();
  const std::string sweep = "sweep --plan {folder}/a.plan --slurm ";
  expect_statuses({
      {sweep + "--partition nope", 3, {"Invalid partition", "sinfo -o %P"}, {}, here},
      {sweep + "--gres gpu:9", 3, {"node configuration", "sinfo -o '%P %G'"}, {}, here},
      {sweep + "--time soon", 3, {"--time soon", "minutes"}, {}, here},
      {sweep + "--time 61", 3, {"the partition main allows jobs of at most 1:00:00"}, {}, here},
      {sweep + "--tasks 99999", 3, {"array specification", "fewer tasks"}, {}, here},
  });
}

TEST_F(SlurmCluster, LosesNothingWhenTasksAreKilledRequeuedAndANodeGoes) {
  std::string values = "n=1";
  for (int n = 2; n <= 500; ++n) values += "," + std::to_string(n);
  ASSERT_EQ(run("plan csrmm/k_tiles,auto " + values + " --out " + path("a.plan")).status, 0);
  ASSERT_EQ(run("sweep --plan " + path("a.plan") + " --devices 0 --session " + path("whole.wsj"),
                environment())
                .status,
            0);
  const std::string submit =
      "sweep --plan " + path("a.plan") + " --slurm --tasks 8 --partition main --time 5 --devices 0";
  const Ran first = run(submit, environment());
  ASSERT_EQ(first.status, 0) << first.err;
  EXPECT_THAT(first.out, HasSubstr("8 tasks for 1000 points"));
  std::mt19937 random(3);
  int faults = 0;
  for (int round = 0; round < 30 && faults < 12; ++round) {
    ::usleep(200'000 + static_cast<unsigned>(random() % 300'000));
    const auto running = jobs("R");
    if (running.empty() && jobs("PD,CG").empty()) break;
    if (running.empty()) continue;
    const std::string& victim = running[random() % running.size()];
    if (faults == 3) {
      slurm("scontrol update nodename=n2 state=down reason=test");
    } else if (faults % 2 == 0) {
      slurm("scancel -s KILL --full " + victim);
    } else {
      slurm("scontrol requeue " + victim);
    }
    ++faults;
  }
  EXPECT_GE(faults, 4) << "the tasks were too fast";
  slurm("scontrol update nodename=n2 state=idle");
  ASSERT_TRUE(wait_for_all()) << slurm("squeue");
  // The same command submits what is left.
  const Ran again = run(submit, environment());
  ASSERT_EQ(again.status, 0) << again.err;
  ASSERT_TRUE(wait_for_all()) << slurm("squeue");
  std::string parts;
  for (int task = 1; task <= 8; ++task)
    parts += " " + path("a-" + std::to_string(task) + "-of-8.wsj");
  const Ran merged = run("merge" + parts + " --out " + path("m.wsj"));
  ASSERT_EQ(merged.status, 0) << merged.err;
  const auto points = points_of("m.wsj");
  EXPECT_EQ(points.size(), 1000u);
  EXPECT_EQ(points, points_of("whole.wsj"));
}

}  // namespace
}  // namespace warpscope
