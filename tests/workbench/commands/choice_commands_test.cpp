// tests/workbench/commands/choice_commands_test.cpp: `tune --fit` and `agree choice` on recorded
// points.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/workbench/commands/command_line.h"

namespace warpscope {
namespace {

using testing::HasSubstr;
using testing::Not;

class ChoiceCommands : public CommandLine {};

TEST_F(ChoiceCommands, JudgeRecordedPointsWithoutADevice) {
  const Ran ran = run("agree choice csrmm {session}");
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("csrmm/auto, by warm times on NVIDIA H200"));
  EXPECT_THAT(ran.out, HasSubstr("within 3 % of the best variant"));
  EXPECT_THAT(ran.out, HasSubstr("as recorded"));
  EXPECT_THAT(ran.out, HasSubstr("its points are not unseen"));
  EXPECT_THAT(ran.out, Not(HasSubstr("reached")));
  const nlohmann::json rows =
      nlohmann::json::parse(run("agree choice csrmm --session {session} --json").out);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0]["variant"], "auto");
  EXPECT_GT(rows[0]["judged"].size(), 30u);
  for (const nlohmann::json& point : rows[0]["judged"]) {
    EXPECT_NE(point["taken"], "") << point.dump(2);
    if (point.contains("ratio")) {
      EXPECT_LE(point["ratio"].get<double>(), 1) << point.dump(2);
    }
  }
}

TEST_F(ChoiceCommands, FitAChoiceThatAgreeReads) {
  const Ran fitted = run("tune --fit csrmm {session} --out {folder}/fit.txt");
  EXPECT_EQ(fitted.status, 0) << fitted.err;
  EXPECT_THAT(fitted.out, HasSubstr("unseen (10 folds)"));
  EXPECT_THAT(fitted.out, HasSubstr("fastest of 6 timed"));
  const std::string text = text_of(path("fit.txt"));
  EXPECT_THAT(text, HasSubstr("warpscope choice 2\nscene csrmm\ndevice NVIDIA H200\n"));
  const Ran judged = run("agree choice csrmm {session} --model {folder}/fit.txt");
  EXPECT_LE(judged.status, 1) << judged.err;
  EXPECT_THAT(judged.out, HasSubstr("first by fitted costs"));
  const nlohmann::json rows = nlohmann::json::parse(run("tune --fit csrmm {session} --json").out);
  EXPECT_GT(rows[0]["unseen"]["points"].get<int>(), 20);
}

TEST_F(ChoiceCommands, DrawAPlanThatTheSeedDecides) {
  const std::string draw = "agree choice led --random 2 dtype=fp32 --seed ";
  ASSERT_EQ(run(draw + "5 --plan {folder}/a.txt").status, 0);
  ASSERT_EQ(run(draw + "5 --plan {folder}/b.txt").status, 0);
  ASSERT_EQ(run(draw + "6 --plan {folder}/c.txt").status, 0);
  const std::string plan = text_of(path("a.txt"));
  EXPECT_THAT(plan, HasSubstr("led/direct_global "));
  EXPECT_THAT(plan, HasSubstr("led/pick_by_shape "));
  EXPECT_THAT(plan, Not(HasSubstr("frames_per_warp_early_exit"))) << "it is wrong on purpose";
  EXPECT_EQ(plan, text_of(path("b.txt")));
  EXPECT_NE(plan, text_of(path("c.txt")));
}

TEST_F(ChoiceCommands, RefuseInOneSentence) {
  write("broken.txt", "warpscope choice 2\nscene csrmm\nrow auto\ntime many\n");
  expect_statuses({
      {"agree choice", 2, {"no scene is named"}},
      {"agree choice csrm {session}", 2, {"csrm", "csrmm"}},
      {"agree choice patterns {session}", 2, {"no fitted choice is made for the scene patterns"}},
      {"agree choice csrmm", 2, {"there are no points to judge"}},
      {"agree choice csrmm {session} n=3", 2, {"only with --random"}},
      {"agree choice led {session}", 2, {"no configuration has times"}},
      {"agree choice csrmm {session} --model {folder}/none.txt", 2, {"none.txt"}},
      {"agree choice csrmm {session} --model {folder}/broken.txt", 2, {"broken.txt:4"}},
      {"agree model --session {session} --plan x", 2, {"are for choices"}},
      {"tune --fit csrmm", 2, {"there is no session to fit to"}},
      {"tune --fit led {session}", 2, {"a fit needs 20"}},
      {"tune led/window_strips --out x", 2, {"--out is for --fit"}},
  });
}

}  // namespace
}  // namespace warpscope
