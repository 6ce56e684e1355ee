// tests/workbench/commands/measure_plan_test.cpp: plans of measurements: their lines, their order,
// what is missing of them, and the recipes that recordings are made by.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "profiling/session/session.h"
#include "scenes/catalogue.h"
#include "tests/folders.h"
#include "tests/workbench/commands/command_line.h"
#include "workbench/client/job_order.h"

namespace warpscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Job job(const std::string& variant, std::map<std::string, std::string> axes,
        const std::string& counters = "none") {
  Job made;
  made.scene = "csrmm";
  made.variant = variant;
  made.axes = std::move(axes);
  made.work = MeasureJob{.counters = counters};
  return made;
}

std::vector<std::string> words_of(const std::vector<Job>& jobs) {
  std::vector<std::string> words;
  for (const Job& one : jobs) {
    std::string word = one.variant;
    for (const auto& [axis, value] : one.axes) word += " " + axis + "=" + value;
    if (counters_of(one) != "none") word += " " + counters_of(one);
    words.push_back(word);
  }
  return words;
}

// A matrix follows from m and p, the dense operand also from n: of these two the matrix costs more.
TEST(MeasuringOrder, ChangesInputsAsSeldomAsItCan) {
  EXPECT_THAT(
      words_of(in_measuring_order(built_in_catalogue(),
                                  {job("float4_columns", {{"n", "32"}, {"p", "0.01"}}),
                                   job("float4_columns", {{"n", "32"}, {"p", "0.02"}}),
                                   job("float4_columns", {{"n", "64"}, {"p", "0.01"}}),
                                   job("float4_columns", {{"n", "64"}, {"p", "0.02"}}),
                                   job("k_tiles", {{"n", "32"}, {"p", "0.01"}})})),
      ElementsAre("float4_columns n=32 p=0.01", "k_tiles n=32 p=0.01", "float4_columns n=64 p=0.01",
                  "float4_columns n=32 p=0.02", "float4_columns n=64 p=0.02"));
}

TEST(MeasuringOrder, PutsVariantsOfOneReferenceTogether) {
  EXPECT_THAT(words_of(in_measuring_order(built_in_catalogue(),
                                          {job("warp_row_zero_test", {}), job("k_tiles", {}),
                                           job("compressed_b_quads", {}), job("auto", {})})),
              ElementsAre("warp_row_zero_test", "compressed_b_quads", "k_tiles", "auto"));
}

TEST(MeasuringOrder, MakesAPointOnceWithTheMostCounters) {
  EXPECT_THAT(words_of(in_measuring_order(
                  built_in_catalogue(),
                  {job("k_tiles", {}, "live"), job("k_tiles", {{"n", "128"}}, "standard,lines"),
                   job("k_tiles", {{"n", "64"}}), job("k_tiles", {}, "none")})),
              ElementsAre("k_tiles n=128 standard,lines", "k_tiles n=64"))
      << "128 is the default";
  Job timeline = job("k_tiles", {});
  timeline.work = TimelineJob{};
  EXPECT_EQ(in_measuring_order(built_in_catalogue(), {job("k_tiles", {}), timeline}).size(), 2u);
  EXPECT_EQ(
      in_measuring_order(built_in_catalogue(), {job("no_such", {}), job("no_such", {})}).size(), 2u)
      << "the engine says what is wrong with them";
}

TEST(MissingPoints, AreThoseThatTheSessionHoldsNotOrWithFewerCounters) {
  const Scene& scene = **built_in_catalogue().find("csrmm");
  Measurement m;
  m.scene = "csrmm";
  m.variant = "k_tiles";
  m.axes = *configured(scene, m.variant, {{"n", "64"}});
  m.key = configuration_key(scene.axes, m.axes, m.variant);
  m.counters = "live";
  Session held;
  held.apply(m);
  const auto missing = [&](const Job& one) { return !lacking({one}, held).empty(); };
  EXPECT_FALSE(missing(job("k_tiles", {{"n", "64"}})));
  EXPECT_FALSE(missing(job("k_tiles", {{"n", "64"}}, "live")));
  EXPECT_TRUE(missing(job("k_tiles", {{"n", "64"}}, "standard")));
  EXPECT_TRUE(missing(job("k_tiles", {{"n", "64"}}, "live,lines")));
  EXPECT_TRUE(missing(job("k_tiles", {})));
  EXPECT_TRUE(missing(job("auto", {{"n", "64"}})));
  // A variant whose source is known without facts of its inputs.
  m.variant = "warp_row_branch_free";
  m.axes = *configured(scene, m.variant, {{"n", "64"}});
  m.key = configuration_key(scene.axes, m.axes, m.variant);
  m.conditions.code_id = "0123456789abcdef";
  Session earlier;
  earlier.apply(m);
  EXPECT_EQ(lacking({job(m.variant, {{"n", "64"}})}, earlier).size(), 1u) << "of another source";
}

TEST_F(CommandLine, MeasureAPlanWithOneEngine) {
  const std::string plan = write("plan",
                                 "# two lines that share a point\n\n"
                                 "csrmm/k_tiles,auto n=32,64 --counters live\n"
                                 "  csrmm/auto \"n=64\" --time-limit 0.5\n");
  const std::string session = path("s.wsj");
  const Ran ran = run_fake("measure --plan " + plan + " --session " + session, "good");
  EXPECT_EQ(ran.status, 0) << ran.err;
  const Result<SessionReading> reading = read_session(session);
  ASSERT_TRUE(reading) << sentence(reading.error());
  EXPECT_EQ(reading->session.jobs().size(), 4u);
  EXPECT_EQ(reading->session.all_points().size(), 4u);
  std::size_t engines = 0;
  const std::string text = text_of(session), hello = "\"type\":\"hello\"";
  for (std::size_t at = text.find(hello); at != std::string::npos; at = text.find(hello, at + 1))
    ++engines;
  EXPECT_EQ(engines, 1u);
  // What is there is not measured again.
  EXPECT_EQ(
      run_fake("measure csrmm/k_tiles,auto n=32,128 --missing --session " + session, "good").status,
      0);
  EXPECT_EQ(read_session(session)->session.jobs().size(), 6u) << "those at 128";
}

TEST_F(CommandLine, SayWhichLineOfAPlanIsWrong) {
  write("unknown", "csrmm/k_tiles n=32\ncsrmm/k_tiles --conuters live\n");
  write("counters", "csrmm/k_tiles --counters lvie\n");
  write("variant", "csrmm/k_tiles,k_tile n=32\n");
  expect_statuses({
      {"measure --plan {folder}/none", 2, {"none"}},
      {"measure --plan {folder}/unknown", 2, {"unknown:2", "--conuters"}},
      {"measure --plan {folder}/counters", 2, {"lvie"}},
      {"measure --plan {folder}/variant", 2, {"k_tile"}},
      {"measure csrmm --plan {folder}/variant", 2, {"--plan"}},
      {"measure csrmm/k_tiles,k_tiles", 2, {"named twice"}},
      {"measure csrmm/k_tiles,auto unroll=2", 2, {"k_tiles and auto have no axis “unroll”"}},
      {"measure csrmm --missing", 2, {"--session"}},
      {"measure", 2, {"scene"}},
  });
}

// Recipes with another word for the program: the engine of a plan is one that invents figures.
class Recordings : public CommandLine {
 protected:
  int record(const std::string& options, const std::string& scene, const std::string& mode) {
    const std::string program = write(
        "warpscope", "#!/bin/sh\n[ \"$1\" != roofs ] || exit 0\nexec " +
                         built_program("warpscope") + " \"$@\" --engine " + fake_engine() + "\n");
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    const std::string script = (source_folder() / "tests/benchmarks/record").string();
    const int status =
        std::system(("FAKE_ENGINE_MODE=" + mode + " bash " + script + " " + options + " " +
                     program + " " + path("out") + " " + scene + " 2>" + path("said"))
                        .c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  std::size_t points(const std::string& name) const {
    const Result<SessionReading> reading = read_session(path("out/h200-" + name + ".wsj.gz"));
    EXPECT_TRUE(reading) << sentence(reading.error());
    return reading ? reading->session.all_points().size() : 0;
  }
};

TEST_F(Recordings, AskForPointsThatThereAre) {
  std::size_t before = 0;
  for (const auto& [recipe, session] :
       {std::pair("csrmm", "csrmm"), std::pair("csrmm-readings", "csrmm"),
        std::pair("csrmm-rows", "csrmm"), std::pair("led", "led"), std::pair("led-presets", "led"),
        std::pair("esmm", "esmm"), std::pair("deform", "deform"), std::pair("patterns", "patterns"),
        std::pair("another-card", "another-card"),
        std::pair("eight_iterations", "eight_iterations")}) {
    EXPECT_EQ(record("", recipe, "good"), 0) << recipe << ": " << text_of(path("said"));
    const bool goes_on = std::string(recipe) != session;
    const std::size_t now = points(session);
    EXPECT_GT(now, goes_on ? before + 100 : 5) << recipe;
    before = now;
  }
}

TEST_F(Recordings, KeepWhatTheyHaveWhereTheyAreEndedAndGoOn) {
  EXPECT_EQ(record("--within 2", "another-card", "hangs"), 3);
  EXPECT_THAT(text_of(path("said")), HasSubstr("--go-on"));
  EXPECT_EQ(record("--go-on", "another-card", "good"), 0) << text_of(path("said"));
  const std::size_t all = points("another-card");
  EXPECT_EQ(record("--go-on", "another-card", "good"), 0) << text_of(path("said"));
  EXPECT_EQ(points("another-card"), all) << "nothing was missing";
}

}  // namespace
}  // namespace warpscope
