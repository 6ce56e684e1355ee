// tests/workbench/commands/eight_iterations_test.cpp: the folder that a lesson is told of: right
// where it must be, wrong where it must be, and predicted as the emulator sees it today.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "profiling/journal/change_watch.h"
#include "profiling/journal/fork_journal.h"
#include "profiling/session/session.h"
#include "scenes/catalogue.h"
#include "tests/folders.h"
#include "tests/scenes/folder_parts.h"
#include "tests/workbench/commands/run_warpscope.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

const std::vector<std::string> kRungs = {"thread_a_row",   "warp_a_row",  "block_tree",
                                         "block_shuffles", "one_pass",    "row_in_registers",
                                         "quads",          "rows_in_turn"};

class EightIterations : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(built_program("warpscope-engine"))) GTEST_SKIP() << "the engine is not built";
    const WarpscopeRun said = run_warpscope("verify " + folder().string() + " rows=1 columns=4");
    if (said.said.find("NVRTC") != std::string::npos) GTEST_SKIP() << said.said;
  }
  static fs::path folder() { return source_folder() / "assets" / "examples" / "eight_iterations"; }

  // What `verify` says of a rung: the line that has its name.
  static std::string line_of(const std::string& said, const std::string& rung) {
    const std::size_t at = said.find("eight_iterations/" + rung + " ");
    return at == std::string::npos ? "" : said.substr(at, said.find('\n', at) - at);
  }
};

// A row of one quad, more rows than a block takes, a row that no block divides, one as long as a
// block holds, and blocks that take many rows or one too few.
TEST_F(EightIterations, AreRightAtSizesThatNoBlockDivides) {
  for (const char* axes : {"rows=1 columns=4", "rows=7 columns=1028", "rows=67 columns=36",
                           "rows=9 columns=8192", "rows=70 columns=260 blocks=3",
                           "rows=5 columns=4096 blocks=4", "rows=130 columns=1000 mean=1.5"}) {
    const WarpscopeRun said = run_warpscope("verify " + folder().string() + " " + axes);
    EXPECT_EQ(said.status, 0) << axes << "\n" << said.said;
    for (const std::string& rung : kRungs)
      EXPECT_THAT(line_of(said.said, rung), HasSubstr(" correct ")) << axes << ", " << rung;
  }
}

TEST_F(EightIterations, RefuseRowsThatAreNoWholeQuadsWhereALaneTakesOne) {
  const WarpscopeRun said = run_warpscope("verify " + folder().string() + " rows=33 columns=257");
  for (const std::string& rung : kRungs) {
    const bool wide = rung == "quads" || rung == "rows_in_turn";
    EXPECT_THAT(
        line_of(said.said, rung),
        HasSubstr(wide ? "a row must be whole quads of columns: columns = 257" : " correct "));
  }
}

// E[x²] − E[x]² in f32: at a mean of 1000 both terms are a million, and a unit in the last place is
// 0.06 of a variance of 1/3.
TEST_F(EightIterations, AreRightAtALargeMeanButForOnePass) {
  for (const char* axes :
       {"rows=40 mean=1000", "rows=40 mean=10000", "rows=40 columns=64 mean=1000"}) {
    const WarpscopeRun said = run_warpscope("verify " + folder().string() + " " + axes);
    EXPECT_EQ(said.status, 1) << axes << "\n" << said.said;
    for (const std::string& rung : kRungs) {
      const std::string line = line_of(said.said, rung);
      if (rung == "one_pass") {
        EXPECT_THAT(line, HasSubstr(" wrong ")) << axes;
        EXPECT_THAT(line, HasSubstr("beyond the bound")) << axes;
      } else {
        EXPECT_THAT(line, HasSubstr(" correct ")) << axes << ", " << rung;
      }
    }
  }
}

// The same kernels in a folder whose defaults are small: `--hard` takes most cases there. With a
// large mean they must find the one that loses its variance, and no other.
TEST_F(EightIterations, PassTheHardCasesButForOnePassAtALargeMean) {
  std::ifstream file(folder() / "scene.toml");
  const std::string description{std::istreambuf_iterator<char>(file), {}};
  for (const char* mean : {"default = 0.0", "default = 1000.0"}) {
    const OwnFolder copy("eight_iterations");
    for (const auto& entry : fs::directory_iterator(folder()))
      fs::copy(entry.path(), copy.path() / entry.path().filename());
    const std::string small =
        replaced(replaced(replaced(description, "default = 8192", "default = 70"), "default = 4096",
                          "default = 1028"),
                 "default = 0.0", mean);
    ASSERT_THAT(small, HasSubstr("default = 70,"));
    ASSERT_THAT(small, HasSubstr("default = 1028,"));
    ASSERT_THAT(small, HasSubstr(mean));
    copy.write("scene.toml", small);
    const WarpscopeRun said = run_warpscope("verify --hard " + copy.path().string());
    const bool large = std::string(mean) != "default = 0.0";
    EXPECT_EQ(said.status, large ? 1 : 0) << said.said;
    for (const std::string& rung : kRungs) {
      const std::string finding = "eight_iterations/" + rung + " ";
      if (large && rung == "one_pass") {
        EXPECT_THAT(said.said, HasSubstr(finding));
      } else {
        EXPECT_THAT(said.said, Not(HasSubstr(finding))) << said.said;
      }
    }
  }
}

// The journal beside the kernels: every rung once, two of them reverted, and each prediction what
// the emulator says at the configuration that it names.
TEST_F(EightIterations, HaveAJournalWhosePredictionsAreTheEmulators) {
  const Result<SessionReading> reading = read_session(folder() / kJournalFile);
  ASSERT_TRUE(reading) << sentence(reading.error());
  Catalogue catalogue;
  const Scene& scene = *catalogue.open_folder(folder()).value();
  const std::string usual = problem_key(scene.axes, default_configuration(scene.axes));
  const OwnFolder kept("eight_iterations_traces");
  const fs::path file = kept.path() / "traces.wsj";
  std::set<std::string> rungs;
  int predictions = 0;
  for (const Iteration* each : reading->session.outcomes().iterations()) {
    EXPECT_EQ(each->scene, scene.name);
    EXPECT_LT(each->parent, each->number);
    EXPECT_EQ(each->decision == Decision::reverted,
              each->variant == "one_pass" || each->variant == "rows_in_turn")
        << each->variant;
    EXPECT_EQ(each->problem, usual);
    rungs.insert(each->variant);
    // They were predicted of PTX.
    const std::string trace = "trace " + folder().string() + "/" + each->variant + " --code ptx";
    ASSERT_EQ(run_warpscope(trace + " --session " + file.string()).status, 0) << each->variant;
    const Result<SessionReading> traced = read_session(file);
    ASSERT_TRUE(traced) << sentence(traced.error());
    std::vector<MetricValue> today;
    for (const Trace* of : traced->session.traces()) {
      if (of->variant == each->variant)
        today = predicted_figures(traced->session, {of->scene, of->variant, of->key, "", ""});
    }
    for (const MetricValue& predicted : each->predicted) {
      const MetricValue* figure = find_value(today, predicted.id);
      ASSERT_NE(figure, nullptr) << each->variant << " " << predicted.id;
      EXPECT_DOUBLE_EQ(predicted.value.value(), figure->value.value())
          << each->variant << " " << predicted.id;
      ++predictions;
    }
  }
  EXPECT_EQ(rungs, std::set<std::string>(kRungs.begin(), kRungs.end()));
  EXPECT_GE(predictions, 16);
}

}  // namespace
}  // namespace warpscope
