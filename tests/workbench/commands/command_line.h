// tests/workbench/commands/command_line.h: the real warpscope run in a folder of its own, and
// tables of runs.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

// A row of a table is a command line and what a person and a script must get of it:
//
//   expect_statuses({{"export {folder}/missing.wsj --csv {folder}/a.csv", 2,
//                     {"there is no such file"}, {"terminate"}}});

namespace warpscope {

std::string text_of(const std::filesystem::path& path);
// The recorded session of csrmm, and an engine that behaves as $FAKE_ENGINE_MODE says.
const std::string& recorded_csrmm();
const std::string& fake_engine();

struct Ran {
  int status = -1;  // 124: it did not end in time
  std::string out, err;
  // Lines on standard error: a person should read one sentence.
  std::ptrdiff_t sentences() const { return std::count(err.begin(), err.end(), '\n'); }
};

// A command line, its exit status, and the words that its sentence on standard error must and must
// not have. With a status of 2 or 3 there is exactly one sentence and nothing on standard output.
struct StatusRow {
  std::string arguments;
  int status = 0;
  std::vector<std::string> words, other_words;
  std::string environment;  // "FAKE_ENGINE_MODE=bare", for the shell
};

// A folder that is gone when the test is, and the real program run in its company.
class CommandLine : public testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;
  // `arguments` and `environment` ("A=b C=d") are words for the shell; in the former "{folder}"
  // stands for the test's folder, "{session}" for the recorded session of csrmm.
  Ran run(const std::string& arguments, const std::string& environment = "",
          int limit_s = 60) const;
  Ran run_fake(const std::string& arguments, const std::string& mode) const;
  void expect_statuses(const std::vector<StatusRow>& rows) const;
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const;

 private:
  std::string filled_in(const std::string& arguments) const;
  std::filesystem::path folder_;
};

}  // namespace warpscope
