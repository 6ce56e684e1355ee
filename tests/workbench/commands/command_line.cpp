// tests/workbench/commands/command_line.cpp: the real warpscope run in a folder of its own.
#include "tests/workbench/commands/command_line.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tests/folders.h"
#include "tests/recorded_session.h"

namespace warpscope {

namespace fs = std::filesystem;

namespace {

std::string replaced(std::string text, const std::string& mark, const std::string& by) {
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at))
    text.replace(at, mark.size(), by);
  return text;
}

}  // namespace

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

const std::string& recorded_csrmm() {
  static const std::string path = recorded_session("csrmm").string();
  return path;
}

const std::string& fake_engine() {
  static const std::string path = built_program("fake_engine");
  return path;
}

void CommandLine::SetUp() {
  folder_ = fs::temp_directory_path() / ("warpscope-commands-" + std::to_string(::getpid()));
  fs::remove_all(folder_);
  fs::create_directories(folder_);
}

void CommandLine::TearDown() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

std::string CommandLine::filled_in(const std::string& arguments) const {
  return replaced(replaced(arguments, "{folder}", folder_.string()), "{session}", recorded_csrmm());
}

Ran CommandLine::run(const std::string& arguments, const std::string& environment,
                     int limit_s) const {
  const std::string out = path("out"), err = path("err");
  const std::string command = "env XDG_CONFIG_HOME=" + folder_.string() + " " + environment +
                              " /usr/bin/timeout " + std::to_string(limit_s) + " " +
                              built_program("warpscope") + " " + filled_in(arguments) + " >" + out +
                              " 2>" + err + " </dev/null";
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text_of(out), text_of(err)};
}

Ran CommandLine::run_fake(const std::string& arguments, const std::string& mode) const {
  return run(arguments, "WARPSCOPE_ENGINE=" + fake_engine() + " FAKE_ENGINE_MODE=" + mode);
}

std::string CommandLine::write(const std::string& name, const std::string& text) const {
  std::ofstream(folder_ / name, std::ios::binary) << text;
  return path(name);
}

void CommandLine::expect_statuses(const std::vector<StatusRow>& rows) const {
  using testing::HasSubstr;
  using testing::Not;
  for (const StatusRow& row : rows) {
    SCOPED_TRACE("warpscope " + filled_in(row.arguments));
    const Ran ran = run(row.arguments, row.environment);
    EXPECT_EQ(ran.status, row.status) << ran.err;
    for (const std::string& words : row.words) EXPECT_THAT(ran.err, HasSubstr(words));
    for (const std::string& words : row.other_words) EXPECT_THAT(ran.err, Not(HasSubstr(words)));
    // A name of the standard library is not a sentence for a person.
    for (const char* words : {"terminate called", "std::", "what():", "filesystem error"})
      EXPECT_THAT(ran.err, Not(HasSubstr(words)));
    if (row.status < 2) continue;
    EXPECT_EQ(ran.sentences(), 1) << ran.err;
    EXPECT_EQ(ran.out, "");
  }
}

}  // namespace warpscope
