// tests/workbench/commands/plans/sweep_kill_test.cpp: sweeps whose engines and programs are killed
// at random lose nothing but the points that ran, and count nothing twice.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>

#include "profiling/session/session.h"
#include "profiling/session/session_check.h"
#include "tests/workbench/commands/command_line.h"
#include "tests/workbench/commands/run_warpscope.h"

namespace warpscope {
namespace {

using testing::HasSubstr;

class KilledSweeps : public CommandLine {
 protected:
  // Starts sweeps of a.plan into this session until one ends by itself. Each is killed after
  // `least` to `most` milliseconds, and one of its engines before that. Returns how many were
  // killed, or −1 if they do not come to an end.
  int sweep_until_done(const std::string& words, const std::string& session,
                       const std::string& environment, std::mt19937& random, int least, int most) {
    const std::string command = built_program("warpscope") + " sweep --resume " + path("a.plan") +
                                " --session " + path(session) + " " + words;
    constexpr int kMostRounds = 60;
    for (int killed = 0; killed < kMostRounds; ++killed) {
      const auto drawn = static_cast<int>(random() % static_cast<unsigned>(most - least));
      // Later kills wait longer, so that a busy machine gets on between two of them.
      const int after = (least + drawn) * (1 + killed / 15);
      // Engines are children of the program: none of another test is hit.
      const std::string script =
          environment + " XDG_CONFIG_HOME=" + path("") + " setsid " + command + " >" + path("out") +
          " 2>" + path("err") + " </dev/null & program=$!; sleep " + std::to_string(after / 2) +
          "e-3; engines=($(ps -o pid= --ppid $program)); [ ${#engines[@]} "
          "= 0 ] || kill -9 ${engines[" +
          std::to_string(random() % 7) + " % ${#engines[@]}]} 2>/dev/null; sleep " +
          std::to_string(after - after / 2) + "e-3; kill -9 $program 2>/dev/null; wait $program";
      write("script", script);
      const WarpscopeRun run = run_line("bash " + path("script") + " 2>/dev/null");
      if (run.status != 137) {
        EXPECT_EQ(run.status, 0) << text_of(path("err"));
        return killed;
      }
    }
    return -1;
  }
  // "n=1,2,3".
  static std::string values_to(int last) {
    std::string words = "n=1";
    for (int n = 2; n <= last; ++n) words += "," + std::to_string(n);
    return words;
  }
  // What a session says of points, each as often as it says it.
  std::multiset<std::string> said_in(const std::string& name) const {
    std::multiset<std::string> said;
    const auto reading = read_session(path(name));
    EXPECT_TRUE(reading) << sentence(reading.error());
    if (!reading) return said;
    for (const auto& [number, job] : reading->session.jobs()) {
      const std::string n = job.axes.count("n") == 0 ? "" : job.axes.at("n");
      said.insert(job.variant + " n=" + n + " job");
    }
    for (const Measurement* m : reading->session.all_points())
      said.insert(m->variant + " " + m->key + " " + to_text(m->verdict.outcome) + " on " +
                  m->conditions.device);
    return said;
  }
};

TEST_F(KilledSweeps, AreEqualToASweepWithoutFaults) {
  std::mt19937 random(11);
  ASSERT_EQ(run("plan csrmm/k_tiles,auto " + values_to(150) + " --out " + path("a.plan")).status,
            0);
  const std::string fake = "WARPSCOPE_ENGINE=" + fake_engine() + " FAKE_ENGINE_MODE=busy";
  ASSERT_EQ(
      run("sweep --plan " + path("a.plan") + " --devices 0 --session " + path("whole.wsj"), fake)
          .status,
      0);
  int killed = 0;
  std::string merged;
  for (const char* chunk : {"1/2", "2/2"}) {
    const std::string session = std::string("part-") + chunk[0] + ".wsj";
    const int times = sweep_until_done(std::string("--devices 0,1,2 --chunk ") + chunk, session,
                                       fake, random, 100, 400);
    ASSERT_GE(times, 0) << "chunk " << chunk
                        << " does not come to an end: " << text_of(path("err"));
    killed += times;
    merged += " " + path(session);
  }
  EXPECT_GE(killed, 2) << "too fast to be killed";
  ASSERT_EQ(run("merge" + merged + " --out " + path("m.wsj")).status, 0);
  EXPECT_EQ(said_in("m.wsj"), said_in("whole.wsj"));
  EXPECT_EQ(said_in("m.wsj").size(), 600u) << "300 points and their jobs";
  EXPECT_EQ(check_session(path("m.wsj"))->state, FileState::whole);
  // A chunk that ran twice counts once.
  ASSERT_EQ(run("sweep --plan " + path("a.plan") + " --chunk 1/2 --devices 0 --session " +
                    path("again.wsj"),
                fake)
                .status,
            0);
  const Ran twice = run("merge" + merged + " " + path("again.wsj") + " --out " + path("m.wsj"));
  EXPECT_THAT(twice.out, HasSubstr("300 points"));
  EXPECT_EQ(said_in("m.wsj"), said_in("whole.wsj"));
}

TEST_F(KilledSweeps, AreEqualToASweepWithoutFaultsWhenEmulated) {
  std::mt19937 random(5);
  ASSERT_EQ(
      run("plan patterns/copy,copy_grid_stride n=1024:32768:12 --out " + path("a.plan")).status, 0);
  const Ran whole =
      run("sweep --plan " + path("a.plan") + " --devices emulated --session " + path("whole.wsj"));
  if (whole.err.find("NVRTC") != std::string::npos) GTEST_SKIP() << "no compiler: " << whole.err;
  ASSERT_EQ(whole.status, 0) << whole.err;
  ASSERT_GE(sweep_until_done("--devices emulated,emulated", "part.wsj", "", random, 400, 2500), 0)
      << text_of(path("err"));
  ASSERT_EQ(run("merge " + path("part.wsj") + " --out " + path("m.wsj")).status, 0);
  EXPECT_EQ(said_in("m.wsj"), said_in("whole.wsj"));
}

TEST_F(KilledSweeps, EndCleanlyAtCtrlC) {
  ASSERT_EQ(run("plan csrmm/k_tiles " + values_to(400) + " --out " + path("a.plan")).status, 0);
  const std::string fake = "WARPSCOPE_ENGINE=" + fake_engine() + " FAKE_ENGINE_MODE=busy ";
  const WarpscopeRun cancelled =
      run_line(fake + "timeout -s INT 1 " + built_program("warpscope") + " sweep --plan " +
               path("a.plan") + " --devices 0,1 2>&1 </dev/null");
  EXPECT_EQ(cancelled.status, 124);
  EXPECT_THAT(cancelled.said, HasSubstr("cancelled: what was measured before is kept"));
  EXPECT_THAT(cancelled.said, HasSubstr("sweep --resume " + path("a.plan") + " --devices 0,1"));
  EXPECT_EQ(check_session(path("a.wsj"))->state, FileState::whole) << "sealed at its end";
  const std::size_t before = said_in("a.wsj").size();
  EXPECT_GT(before, 0u);
  EXPECT_LT(before, 800u);
  const Ran rest = run("sweep --resume " + path("a.plan") + " --devices 0,1", fake);
  EXPECT_EQ(rest.status, 0) << rest.err;
  EXPECT_EQ(said_in("a.wsj").size(), 800u);
}

TEST_F(KilledSweeps, KeepWhatAFullDiskTookAndGoOn) {
  ASSERT_EQ(run("plan csrmm/k_tiles " + values_to(100) + " --out " + path("a.plan")).status, 0);
  const std::string fake = "WARPSCOPE_ENGINE=" + fake_engine() + " FAKE_ENGINE_MODE=good ";
  // Files of this program may have 24 KiB: as on a full disk, the next write fails.
  const WarpscopeRun full =
      run_line(fake + "bash -c 'trap \"\" XFSZ; ulimit -f 24; exec " + built_program("warpscope") +
               " sweep --plan " + path("a.plan") + " --devices 0' 2>&1 </dev/null");
  EXPECT_EQ(full.status, 3) << full.said;
  EXPECT_THAT(full.said, HasSubstr("the session cannot be written"));
  EXPECT_THAT(full.said, HasSubstr("sweep --resume"));
  const Ran rest = run("sweep --resume " + path("a.plan") + " --devices 0", fake);
  EXPECT_EQ(rest.status, 0) << rest.err;
  ASSERT_EQ(run("merge " + path("a.wsj") + " --out " + path("m.wsj")).status, 0);
  EXPECT_EQ(said_in("m.wsj").size(), 200u);
}

}  // namespace
}  // namespace warpscope
