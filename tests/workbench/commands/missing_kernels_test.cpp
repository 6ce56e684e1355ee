// tests/workbench/commands/missing_kernels_test.cpp: without the kernels' texts a command is one
// sentence and status 3, not a table of rows that cannot run.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/workbench/commands/command_line.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

// Every command whose jobs carry kernels.
const std::vector<std::string> kCommands = {
    "measure csrmm",
    "measure csrmm/row_split n=64 --json",
    "measure deform --csv {folder}/a.csv",
    "sweep esmm m=64,128",
    "trace csrmm/row_split",
    "registers csrmm/row_split",
    "verify led",
    "verify csrmm --hard",
    "compare --outputs csrmm/row_split csrmm/row_cache --emulated",
    "train autoencoder --emulated samples=8 epochs=1",
    "tune csrmm/rows_per_block",
    "roofs",
};

class MissingKernels : public CommandLine {
 protected:
  // `home`: what stands in place of Warpscope's own folder.
  void expect_one_sentence(const std::string& home, const std::string& words) {
    std::vector<StatusRow> rows;
    for (const std::string& command : kCommands)
      rows.push_back({command,
                      3,
                      {words},
                      {"cannot run"},
                      "WARPSCOPE_HOME=" + home + " WARPSCOPE_ENGINE=" + fake_engine() +
                          " FAKE_ENGINE_MODE=good"});
    expect_statuses(rows);
    EXPECT_FALSE(fs::exists(path("a.csv"))) << "a table was made of nothing";
  }
};

TEST_F(MissingKernels, AFolderWithoutThemIsOneSentenceAndStatusThree) {
  fs::create_directories(path("home/assets"));
  expect_one_sentence(path("home"), "the folder has no kernels/ and assets/ in it");
  expect_one_sentence(path("nowhere"), "the folder has no kernels/ and assets/ in it");
}

TEST_F(MissingKernels, AnEmptyFolderOfKernelsIsOneSentenceAndStatusThree) {
  fs::create_directories(path("home/assets"));
  fs::create_directories(path("home/kernels/csrmm"));
  expect_one_sentence(path("home"), "there are no kernels of this scene");
}

// What else lies in Warpscope's folder: articles, lessons, recordings, today's sources.
TEST_F(MissingKernels, CommandsThatNeedAssetsSayWhatIsMissing) {
  write("lesson.json", R"({"title": "A lesson", "scene": "csrmm", "steps": [{"text": "One."}]})");
  std::vector<StatusRow> rows;
  for (const char* command :
       {"play {folder}/lesson.json --offscreen --out {folder}/played",
        "render --panel roofline --out {folder}/a.png", "agree sources --session {session}",
        "journal --scene csrmm", "fork csrmm/row_split --to {folder}/fork"}) {
    rows.push_back({command,
                    3,
                    {"the folder has no kernels/ and assets/ in it"},
                    {},
                    "WARPSCOPE_HOME=" + path("nowhere")});
  }
  expect_statuses(rows);
  for (const char* made : {"a.png", "fork", "played"}) EXPECT_FALSE(fs::exists(path(made))) << made;
}

// What needs no kernel works all the same.
TEST_F(MissingKernels, CommandsThatNeedNoneWork) {
  const std::string nowhere = "WARPSCOPE_HOME=" + path("nowhere");
  expect_statuses({{"list csrmm", 0, {}, {}, nowhere},
                   {"export {session} --csv {folder}/a.csv", 0, {}, {}, nowhere},
                   {"compare {session} {session}", 0, {}, {}, nowhere}});
}

}  // namespace
}  // namespace warpscope
