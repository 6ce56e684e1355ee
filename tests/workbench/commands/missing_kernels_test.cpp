// tests/workbench/commands/missing_kernels_test.cpp: without the kernels' texts a command is one
// sentence and status 3, not a table of rows that cannot run.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/folders.h"
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
  expect_one_sentence(path("home"), "the folder does not contain kernels/ and assets/");
  expect_one_sentence(path("nowhere"), "the folder does not contain kernels/ and assets/");
}

TEST_F(MissingKernels, AnEmptyFolderOfKernelsIsOneSentenceAndStatusThree) {
  fs::create_directories(path("home/assets"));
  fs::create_directories(path("home/kernels/csrmm"));
  expect_one_sentence(path("home"), "the kernels of this scene are missing");
}

// One file of an otherwise whole folder, a kernel or a header.
TEST_F(MissingKernels, AFileThatWasLostIsNamedInOneSentenceAndStatusThree) {
  const fs::path home = path("home");
  fs::create_directories(home / "assets");
  fs::copy(source_folder() / "kernels", home / "kernels", fs::copy_options::recursive);
  const std::string with = "WARPSCOPE_HOME=" + home.string() +
                           " WARPSCOPE_ENGINE=" + fake_engine() + " FAKE_ENGINE_MODE=good";
  expect_statuses({{"measure csrmm/row_split", 0, {}, {"is missing"}, with}});
  fs::remove(home / "kernels/csrmm/row_split.cu");
  expect_statuses({{"measure csrmm",
                    3,
                    {"row_split.cu: a file of this scene's kernels is missing"},
                    {"cannot run"},
                    with}});
  fs::remove(home / "kernels/csrmm/stored.cuh");
  fs::remove(home / "kernels/led/strip.cuh");
  const std::string lost = (home / "kernels/csrmm/row_split.cu").string(),
                    why = "2 files of this scene's kernels are missing";
  expect_statuses({
      {"measure csrmm", 3, {lost, why, "install Warpscope's kernels/ again"}, {"cannot run"}, with},
      {"verify csrmm/row_split", 3, {lost, why}, {"cannot run"}, with},
      {"trace csrmm/row_cache", 3, {lost, why}, {"cannot run"}, with},
      {"sweep csrmm n=64,128 --json", 3, {lost, why}, {"cannot run"}, with},
      {"tune csrmm/rows_per_block", 3, {lost, why}, {"cannot run"}, with},
      {"measure deform", 0, {}, {"missing"}, with},
  });
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
                    {"the folder does not contain kernels/ and assets/"},
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
