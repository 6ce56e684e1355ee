// tests/workbench/commands/agree_random_test.cpp: `agree --random`, without a device and on one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "scenes/catalogue.h"
#include "tests/workbench/commands/command_line.h"

namespace warpscope {
namespace {

using testing::HasSubstr;

class AgreeRandom : public CommandLine {};

TEST_F(AgreeRandom, SaysInOneSentenceThatThereIsNoDevice) {
  const Ran ran = run_fake("agree --random 2 patterns", "bare");
  EXPECT_EQ(ran.status, 3);
  EXPECT_THAT(ran.err, HasSubstr("there is no GPU here to count with"));
  EXPECT_EQ(ran.sentences(), 1) << ran.err;
  EXPECT_EQ(ran.out, "");
}

// The fake engine finds every output correct and counts nothing.
TEST_F(AgreeRandom, SaysThatADeviceGaveNoCounters) {
  const Ran ran = run_fake("agree --random 1 patterns/copy op=copy --seed 3", "good");
  EXPECT_EQ(ran.status, 3) << ran.out << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("1 of 1, random seed 3: op=copy"));
  EXPECT_THAT(ran.err, HasSubstr("no counter for any figure"));
}

TEST_F(AgreeRandom, CountsALaunchThatLacksRegistersAsALaunchFailure) {
  const std::string arguments = "agree --random 1 patterns/copy op=copy --seed 3";
  const Ran ran = run_fake(arguments, "refuses");
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("LAUNCH FAILED  patterns/copy at "));
  EXPECT_THAT(ran.out, HasSubstr("0 wrong, 1 launch failed as predicted by registers"));
  const nlohmann::json whole =
      nlohmann::json::parse(run_fake(arguments + " --json", "refuses").out);
  EXPECT_EQ(whole["wrong"].size(), 0u);
  EXPECT_EQ(whole["launch_failures"].size(), 1u);
}

TEST_F(AgreeRandom, CountsARefusedLaunchThatWouldFitAsWrong) {
  const Ran ran = run_fake("agree --random 1 patterns/copy op=copy --seed 3", "bars");
  EXPECT_EQ(ran.status, 1) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("WRONG  patterns/copy at "));
  EXPECT_THAT(ran.out, HasSubstr("1 wrong, 0 launches failed"));
}

TEST_F(AgreeRandom, RefusesWhatDoesNotExist) {
  for (const auto& [arguments, words] : std::vector<std::pair<std::string, std::string>>{
           {"--random 2 pattern", "patterns"},
           {"--random 2 patterns/cpy", "copy"},
           {"--random 2 patterns nn=3", "nn"},
           {"patterns", "give --random N"},
           {"emulator n=3 --session x.wsj", "only with --random"},
           {"emulator", "--session"}}) {
    const Ran ran = run_fake("agree " + arguments, "good");
    EXPECT_EQ(ran.status, 2) << arguments << "\n" << ran.err;
    EXPECT_THAT(ran.err, HasSubstr(words)) << arguments;
  }
  EXPECT_EQ(run_fake("agree --random 0 patterns", "good").status, 2);
  EXPECT_EQ(run_fake("agree --random many patterns", "good").status, 2);
}

class HeldToADevice : public CommandLine, public testing::WithParamInterface<std::string> {};

// What a device counts at two configurations that nobody chose.
TEST_P(HeldToADevice, FindsNothingThatHasNoReason) {
  constexpr int kLimitS = 280;
  const Ran ran = run("agree --random 2 " + GetParam() + " --seed 1 --json", "", kLimitS);
  if (ran.status == 3) GTEST_SKIP() << ran.err;
  ASSERT_TRUE(ran.status == 0 || ran.status == 1) << ran.err;
  const nlohmann::json whole = nlohmann::json::parse(ran.out);
  EXPECT_GT(whole["compared"].get<int>(), 2) << ran.err;
  EXPECT_EQ(whole["wrong"].size(), 0u) << whole["wrong"].dump(2);
  for (const nlohmann::json& figure : whole["figures"])
    EXPECT_NE(figure["match"], "DIFFERS") << figure.dump(2);
  EXPECT_EQ(ran.status, 0);
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const Scene& scene : built_in_catalogue().scenes()) all.push_back(scene.name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(GpuScenes, HeldToADevice, testing::ValuesIn(names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace warpscope
