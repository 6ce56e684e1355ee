// tests/workbench/agree_random_test.cpp: `agree --random`, without a device and on one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

namespace warpscope {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

struct Ran {
  int status = -1;
  std::string out, err;
};

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// The real program; `environment` are words for the shell.
Ran agree(const std::string& arguments, const std::string& environment = "") {
  const fs::path folder =
      fs::temp_directory_path() / ("warpscope-agree-" + std::to_string(::getpid()));
  fs::create_directories(folder);
  const std::string out = (folder / "out").string(), err = (folder / "err").string();
  const std::string command = "env XDG_CONFIG_HOME=" + folder.string() + " " + environment +
                              " " WARPSCOPE_BINARY_FOLDER "/warpscope agree " + arguments + " >" +
                              out + " 2>" + err + " </dev/null";
  const int status = std::system(command.c_str());
  const Ran ran{WIFEXITED(status) ? WEXITSTATUS(status) : -1, text_of(out), text_of(err)};
  fs::remove_all(folder);
  return ran;
}

Ran with_fake(const std::string& arguments, const std::string& mode) {
  return agree(arguments,
               "WARPSCOPE_ENGINE=" WARPSCOPE_BINARY_FOLDER "/fake_engine FAKE_ENGINE_MODE=" + mode);
}

TEST(AgreeRandom, SaysInOneSentenceThatThereIsNoDevice) {
  const Ran ran = with_fake("--random 2 patterns", "bare");
  EXPECT_EQ(ran.status, 3);
  EXPECT_THAT(ran.err, HasSubstr("there is no GPU here that could count"));
  EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
  EXPECT_EQ(ran.out, "");
}

// The fake engine finds every output correct and counts nothing.
TEST(AgreeRandom, SaysThatADeviceGaveNoCounters) {
  const Ran ran = with_fake("--random 1 patterns/copy op=copy --seed 3", "good");
  EXPECT_EQ(ran.status, 3) << ran.out << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("1 of 1, seed 3: op=copy"));
  EXPECT_THAT(ran.err, HasSubstr("no counter beside any figure"));
}

TEST(AgreeRandom, RefusesWhatDoesNotExist) {
  for (const auto& [arguments, words] : std::vector<std::pair<std::string, std::string>>{
           {"--random 2 pattern", "patterns"},
           {"--random 2 patterns/cpy", "copy"},
           {"--random 2 patterns nn=3", "nn"},
           {"patterns", "give --random N"},
           {"emulator n=3 --session x.wsj", "--random alone"},
           {"emulator", "--session"}}) {
    const Ran ran = with_fake(arguments, "good");
    EXPECT_EQ(ran.status, 2) << arguments << "\n" << ran.err;
    EXPECT_THAT(ran.err, HasSubstr(words)) << arguments;
  }
  EXPECT_EQ(with_fake("--random 0 patterns", "good").status, 2);
  EXPECT_EQ(with_fake("--random many patterns", "good").status, 2);
}

class GpuAgreeRandom : public testing::TestWithParam<std::string> {};

// What a device counts at two configurations that nobody chose.
TEST_P(GpuAgreeRandom, FindsNothingThatHasNoReason) {
  const Ran ran = agree("--random 2 " + GetParam() + " --seed 1 --json");
  if (ran.status == 3) GTEST_SKIP() << ran.err;
  ASSERT_TRUE(ran.status == 0 || ran.status == 1) << ran.err;
  const nlohmann::json whole = nlohmann::json::parse(ran.out);
  EXPECT_GT(whole["compared"].get<int>(), 2) << ran.err;
  EXPECT_EQ(whole["wrong"].size(), 0u) << whole["wrong"].dump(2);
  for (const nlohmann::json& figure : whole["figures"])
    EXPECT_NE(figure["match"], "DIFFERS") << figure.dump(2);
  EXPECT_EQ(ran.status, 0);
}

INSTANTIATE_TEST_SUITE_P(Scenes, GpuAgreeRandom, testing::Values("csrmm", "led", "patterns"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace warpscope
