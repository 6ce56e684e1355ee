// tests/workbench/commands/plans/plan_commands_test.cpp: plan, merge and sweep of a plan, on the
// command line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "profiling/plans/plan_file.h"
#include "profiling/plans/sweep_state.h"
#include "profiling/session/session.h"
#include "profiling/session/session_check.h"
#include "tests/folders.h"
#include "tests/workbench/commands/command_line.h"
#include "tests/workbench/commands/run_warpscope.h"

namespace warpscope {
namespace {

using testing::HasSubstr;

class Plans : public CommandLine {
 protected:
  // A plan of so many points of csrmm.
  std::string plan(int points, const std::string& name = "a.plan") const {
    std::string words = "plan csrmm/k_tiles --out " + path(name) + " n=1";
    for (int n = 2; n <= points; ++n) words += "," + std::to_string(n);
    const Ran ran = run(words);
    EXPECT_EQ(ran.status, 0) << ran.err;
    return path(name);
  }
  // Points of the merged session, and how many of them are correct.
  std::pair<std::size_t, std::size_t> points_in(const std::string& name) const {
    const auto reading = read_session(path(name));
    EXPECT_TRUE(reading) << sentence(reading.error());
    if (!reading) return {};
    const auto points = reading->session.all_points();
    const auto correct = std::count_if(points.begin(), points.end(), [](const Measurement* m) {
      return m->verdict.outcome == Outcome::correct;
    });
    return {points.size(), static_cast<std::size_t>(correct)};
  }
  std::size_t lines_with(const std::string& name, const std::string& words) const {
    const std::string text = text_of(path(name));
    std::size_t count = 0;
    for (std::size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1))
      ++count;
    return count;
  }
};

TEST_F(Plans, HaveOneLinePerPointAndAnEstimateFromTheShippedSession) {
  const Ran ran = run("plan csrmm/auto,k_tiles n=32,64 --counters live --out " + path("a.plan"));
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("4 points of 2 variants, about "));
  EXPECT_THAT(ran.out, HasSubstr("h200-csrmm.wsj.gz"));
  const auto plan = parse_plan(text_of(path("a.plan")), "a.plan");
  ASSERT_TRUE(plan) << sentence(plan.error());
  ASSERT_EQ(plan->points.size(), 4u);
  EXPECT_EQ(plan->points[0].words, "csrmm/auto n=32 --counters live");
  EXPECT_TRUE(plan->points[0].cost_s);
  // What `measure` takes as a plan, too.
  EXPECT_EQ(
      run_fake("measure --plan " + path("a.plan") + " --session " + path("s.wsj"), "good").status,
      0);
  EXPECT_EQ(points_in("s.wsj").first, 4u);
}

TEST_F(Plans, RefineWhereTheWinnerOfARecordedGridChanges) {
  const Ran ran =
      run("plan csrmm/cusparse_alg3,k_tiles n=64 --refine {session} --out " + path("a.plan"));
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("cusparse_alg3 is fastest at p=0.005 and k_tiles at p=0.01; "
                                 "p=0.007071 lies between\n"));
  EXPECT_THAT(ran.out, HasSubstr("added between neighbours with different fastest variants"));
  const auto plan = parse_plan(text_of(path("a.plan")), "a.plan");
  ASSERT_TRUE(plan) << sentence(plan.error());
  EXPECT_GT(plan->points.size(), 0u);
  EXPECT_EQ(plan->points.size() % 2, 0u) << "each place has both";
  EXPECT_THAT(plan->estimate.at(0), HasSubstr("added between neighbours"));
  EXPECT_EQ(run_fake("sweep --plan " + path("a.plan") + " --devices 0", "good").status, 0);
  expect_statuses({
      {"plan csrmm/k_tiles --refine {session} --out {folder}/b.plan",
       2,
       {"no two neighbouring configurations have different fastest variants"}},
      {"plan csrmm/row_split,k_tiles n=77 --refine {session} --out {folder}/b.plan",
       2,
       {"no points of these variants"}},
      {"plan led/window_strips --refine {session} --out {folder}/b.plan",
       2,
       {"no points of these variants"}},
      {"plan csrmm/k_tiles nn=77 --refine {session} --out {folder}/b.plan", 2, {"nn"}},
      {"plan csrmm/k_tiles --refine {folder}/no.wsj --out {folder}/b.plan", 2, {"no such file"}},
  });
}

TEST_F(Plans, SayThatATimeIsUnknownWhereNothingWasRecorded) {
  const std::string folder = (source_folder() / "assets/examples/kernels/saxpy").string();
  const Ran ran = run("plan " + folder + " n=1000,2000 --out " + path("a.plan"));
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("unknown time"));
  const auto plan = parse_plan(text_of(path("a.plan")), "a.plan");
  ASSERT_TRUE(plan);
  EXPECT_THAT(plan->points.at(0).words, HasSubstr(folder + "/"));
  EXPECT_FALSE(plan->points.at(0).cost_s);
  EXPECT_EQ(run_fake("sweep --plan " + path("a.plan") + " --devices 0", "good").status, 0);
  EXPECT_EQ(points_in("a.wsj").first, plan->points.size());
}

TEST_F(Plans, AreSweptInChunksThatMergeToAll) {
  plan(30);
  for (const char* chunk : {"1/3", "2/3", "3/3"}) {
    const Ran ran = run_fake("sweep --plan " + path("a.plan") + " --chunk " + chunk, "good");
    EXPECT_EQ(ran.status, 0) << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("10 of 10 points"));
  }
  // Chunks that are there are not measured again.
  const Ran again = run_fake("sweep --resume " + path("a.plan") + " --chunk 2/3", "hangs");
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("10 of them from before"));
  const Ran merged = run("merge " + path("a-1-of-3.wsj") + " " + path("a-2-of-3.wsj") + " " +
                         path("a-3-of-3.wsj") + " --out " + path("m.wsj"));
  EXPECT_EQ(merged.status, 0) << merged.err;
  EXPECT_THAT(merged.out, HasSubstr("30 points from 3 sessions"));
  EXPECT_EQ(points_in("m.wsj"), std::pair(30ul, 30ul));
}

TEST_F(Plans, AreSharedByDevicesOfOneMachine) {
  plan(40);
  const Ran ran = run_fake("sweep --plan " + path("a.plan") + " --devices 0,1,2 --roofs", "good");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("40 of 40 points"));
  for (const char* device : {"device 0: synthetic device: ", "device 1: ", "device 2: "})
    EXPECT_THAT(ran.out, HasSubstr(device));
  EXPECT_EQ(points_in("a.wsj").first, 40u);
  EXPECT_EQ(lines_with("a.wsj", "\"type\":\"hello\""), 3u);
  EXPECT_EQ(lines_with("a.wsj", "\"type\":\"roofs\""), 3u);
  EXPECT_EQ(check_session(path("a.wsj"))->state, FileState::whole);
}

TEST_F(Plans, SayBesideTheirSessionHowFarTheyAre) {
  const std::string file = plan(40);
  const std::string sweep =
      "sweep --plan " + file + " --session " + path("s.wsj") + " --devices 0,1";
  run_line("timeout -s KILL 5 env FAKE_ENGINE_MODE=long WARPSCOPE_ENGINE=" + fake_engine() + " " +
           built_program("warpscope") + " " + sweep);
  const auto killed = read_sweep_state(path("s.wsj"));
  ASSERT_TRUE(killed);
  EXPECT_EQ(is_running(*killed), false);
  EXPECT_EQ(killed->of, 40);
  EXPECT_EQ(killed->devices.size(), 2u);
  EXPECT_THAT(killed->devices.at(0).doing, HasSubstr("csrmm/k_tiles n="));
  EXPECT_EQ(killed->plan, file);
  EXPECT_EQ(killed->wanted_devices, "0,1");
  EXPECT_EQ(killed->command,
            "warpscope sweep --resume " + file + " --devices 0,1 --session " + path("s.wsj"));
  ASSERT_EQ(run_fake(sweep, "good").status, 0);
  EXPECT_FALSE(read_sweep_state(path("s.wsj"))) << "all points have an answer";
}

TEST_F(Plans, AreEmulatedWhereThePersonSaysSo) {
  const Ran made = run("plan patterns/copy n=1024,2048,4096 --out " + path("a.plan"));
  ASSERT_EQ(made.status, 0) << made.err;
  const Ran ran = run("sweep --plan " + path("a.plan") + " --devices emulated,emulated");
  if (ran.err.find("NVRTC") != std::string::npos) GTEST_SKIP() << "no compiler: " << ran.err;
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(points_in("a.wsj"), std::pair(3ul, 3ul));
  EXPECT_EQ(lines_with("a.wsj", "\"device\":\"emulator\""), 3u);
  EXPECT_EQ(lines_with("a.wsj", "\"warm\":"), 0u) << "an emulator has no times";
}

TEST_F(Plans, MeasureAPointOnceMoreWhoseEngineDied) {
  run("plan csrmm/warp_row_zero_test,k_tiles n=1,2,3,4 --out " + path("a.plan"));
  // This engine dies at every point of one variant: the verdict stays in the end.
  const Ran ran = run_fake("sweep --plan " + path("a.plan") + " --devices 0,1", "dies");
  EXPECT_EQ(ran.status, 1) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("is measured again"));
  EXPECT_EQ(points_in("a.wsj"), std::pair(8ul, 4ul));
  // With an engine that lives nothing is lost.
  const Ran again = run_fake("sweep --resume " + path("a.plan") + " --devices 0", "good");
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("8 of 8 points, 4 of them from before"));
  EXPECT_EQ(run("merge " + path("a.wsj") + " --out " + path("m.wsj")).status, 0);
  EXPECT_EQ(points_in("m.wsj"), std::pair(8ul, 8ul)) << "an answer goes before an attempt";
}

TEST_F(Plans, GoOnWithTheDevicesThatAreThere) {
  plan(12);
  // Only the first device has a GPU.
  const std::string engine =
      write("engine",
            "#!/bin/sh\ncase \" $* \" in *\" --device 0 \"*) mode=good;; *) mode=bare;; esac\n"
            "FAKE_ENGINE_MODE=$mode exec " +
                fake_engine() + " \"$@\"\n");
  std::filesystem::permissions(engine, std::filesystem::perms::owner_all);
  const std::string choice = " --engine " + engine;
  const Ran named = run("sweep --plan " + path("a.plan") + " --devices 0,1" + choice);
  EXPECT_EQ(named.status, 3);
  EXPECT_THAT(named.err, HasSubstr("there is no GPU"));
  EXPECT_EQ(points_in("a.wsj").first, 12u) << "the other device measured all";
  const Ran all =
      run("sweep --plan " + path("a.plan") + " --devices all --session " + path("b.wsj") + choice);
  EXPECT_EQ(all.status, 0) << all.err;
  EXPECT_EQ(points_in("b.wsj").first, 12u);
  EXPECT_EQ(lines_with("b.wsj", "\"type\":\"hello\""), 1u);
}

TEST_F(Plans, GiveThePointsOfALostDeviceToOthers) {
  plan(24);
  // Two engines are killed in the middle of a row of points. After that one has no GPU any more,
  // and the other ends after every hello.
  const std::string began = path("began-"), answer = fake_engine() + " \"$@\"";
  const std::string engine =
      write("engine",
            "#!/bin/sh\nexport FAKE_ENGINE_MODE=slow\nwhile [ $1 != --device ]; do shift; done\n"
            "[ $2 != 0 ] || exec " +
                answer + "\n[ -e " + began + "$2 ] || { touch " + began +
                "$2; exec timeout -s KILL 0.7 " + answer +
                "; }\n"
                "[ $2 != 1 ] || export FAKE_ENGINE_MODE=bare\n"
                "[ $2 != 2 ] || export FAKE_ENGINE_MODE=crashes\nexec " +
                answer + "\n");
  std::filesystem::permissions(engine, std::filesystem::perms::owner_all);
  const Ran ran = run("sweep --plan " + path("a.plan") + " --devices 0,1,2 --engine " + engine, "");
  EXPECT_EQ(ran.status, 3);
  EXPECT_THAT(ran.err, HasSubstr("there is no GPU"));
  EXPECT_THAT(ran.out, HasSubstr("24 of 24 points"));
  EXPECT_EQ(points_in("a.wsj"), std::pair(24ul, 24ul));
}

TEST_F(Plans, UseDevicesOfOtherHostsThroughSsh) {
  plan(30);
  std::filesystem::create_directory(path("bin"));
  // Hosts that are this machine; one cannot be reached, and one has another version.
  const std::string ssh =
      write("bin/ssh",
            "#!/bin/sh\nwhile [ \"$1\" != -- ]; do shift; done; host=$2; shift 2\n"
            "[ $host != gone ] || { echo 'ssh: no route to host' >&2; exit 255; }\n"
            "case \" $* \" in *\" --device 0 \"*|*\" --device 1 \"*) ;; *) export "
            "FAKE_ENGINE_MODE=bare;; esac\nexec "
            "sh -c "
            "\"$*\"\n");
  std::filesystem::permissions(ssh, std::filesystem::perms::owner_all);
  const std::string path_words = "PATH=" + path("bin") + ":/usr/bin:/bin FAKE_ENGINE_MODE=";
  const std::string words = "sweep --plan " + path("a.plan") + " --engine " + fake_engine();
  const Ran ran = run(words + " --ssh gpu1,user@gpu2", path_words + "good");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("30 of 30 points"));
  for (const char* device : {"gpu1 device 0: ", "gpu1 device 1: ", "user@gpu2 device 1: "})
    EXPECT_THAT(ran.out, HasSubstr(device));
  EXPECT_THAT(ran.out, testing::Not(HasSubstr("device 2")));
  EXPECT_EQ(points_in("a.wsj").first, 30u);
  // Slow enough for the other connection to be given up.
  const Ran rest = run(words + " --ssh gone,gpu1 --session " + path("b.wsj"), path_words + "slow");
  EXPECT_EQ(rest.status, 3);
  EXPECT_THAT(rest.err, HasSubstr("the connection to gone failed"));
  EXPECT_EQ(points_in("b.wsj").first, 30u) << "the other host measured all";
  expect_statuses({
      {"sweep --plan {folder}/a.plan --ssh gpu1,gpu1", 2, {"“gpu1” is not another host"}},
      {"sweep --plan {folder}/a.plan --ssh -oProxyCommand=x", 2, {"not another host"}},
      {"sweep --plan {folder}/a.plan --ssh gpu1 --host gpu2", 2, {"leave out --host"}},
      {"sweep --plan {folder}/a.plan --ssh gpu1 --devices emulated", 2, {"runs on this machine"}},
  });
}

TEST_F(Plans, SayInOneSentenceWhatIsWrongAndWhatToDo) {
  plan(3);
  std::string text = text_of(path("a.plan"));
  const auto changed = [&](const std::string& key, const std::string& value) {
    std::string other = text;
    const std::size_t at = other.find("# " + key + " ");
    other.replace(at, other.find('\n', at) - at, "# " + key + " " + value);
    return other;
  };
  write("version.plan", changed("version", "0.0.1 (0123456789)"));
  write("kernels.plan", changed("scene", "csrmm 0123456789abcdef0123456789abcdef"));
  write("future.plan", changed("date", "2190-01-01T00:00:00Z"));
  write("cut.plan", text.substr(0, text.size() - 5));
  write("lines.plan", "csrmm/k_tiles n=32\n");
  expect_statuses({
      {"sweep --plan {folder}/version.plan --devices 0", 3, {"0.0.1", "install one version"}},
      {"sweep --plan {folder}/kernels.plan --devices 0", 2, {"kernels of csrmm", "copy"}},
      {"sweep --plan {folder}/future.plan --devices 0", 3, {"after this machine's clock", "ntp"}},
      {"sweep --plan {folder}/cut.plan --devices 0", 2, {"not those that it was made with"}},
      {"sweep --plan {folder}/lines.plan --devices 0", 2, {"warpscope plan"}},
      {"sweep --plan {folder}/a.plan --chunk 4/3", 2, {"4/3", "for example, 3/8"}},
      {"sweep --plan {folder}/a.plan --chunk 0/3", 2, {"0/3"}},
      {"sweep --plan {folder}/a.plan --devices 0,0", 2, {"twice"}},
      {"sweep --plan {folder}/a.plan --devices gpu", 2, {"“gpu” is not a device"}},
      {"sweep --plan {folder}/a.plan --devices 0,emulated", 2, {"either emulated or measured"}},
      {"sweep --plan {folder}/a.plan --devices 0 --csv x.csv", 2, {"warpscope export"}},
      {"sweep --devices 0", 2, {"need a plan"}},
      {"sweep csrmm --devices 0", 2, {"need a plan"}},
      {"sweep --plan {folder}/a.plan --resume {folder}/a.plan", 2, {"leave out one"}},
      {"sweep --plan {folder}/a.plan --devices 0",
       3,
       {"there is no GPU"},
       {},
       "FAKE_ENGINE_MODE=bare WARPSCOPE_ENGINE=" + fake_engine()},
      {"plan csrmm/k_tiles n=32", 2, {"--out"}},
      {"plan csrmm n=32 --out {folder}/no/a.plan", 3, {"no/a.plan"}},
      {"plan csrmm --counters lvie --out {folder}/b.plan", 2, {"lvie"}},
      {"plan csrmm --from {folder}/a.plan --out {folder}/b.plan", 2, {"not a session"}},
      {"merge {folder}/a.plan --out {folder}/m.wsj", 2, {"not a session"}},
      {"merge {session} --out {folder}/no/m.wsj", 3, {"folder"}},
      {"merge {session}", 2, {"--out"}},
  });
}

}  // namespace
}  // namespace warpscope
