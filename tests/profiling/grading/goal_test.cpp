// tests/profiling/grading/goal_test.cpp: sentences of goals, and exercises, read.
#include "profiling/grading/goal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiling/grading/exercise.h"

namespace warpscope {
namespace {

using testing::HasSubstr;

Goal goal_of(const std::string& text) {
  const Result<Goal> goal = parse_goal(text);
  EXPECT_TRUE(goal) << text << ": " << (goal ? "" : sentence(goal.error()));
  return goal.value_or(Goal{});
}

TEST(Goals, AreSentencesWithTheWordsOfTheField) {
  EXPECT_EQ(goal_of("right at every size").kind, GoalKind::right);
  EXPECT_EQ(goal_of("no fault").kind, GoalKind::no_fault);
  EXPECT_EQ(goal_of("no race").finding, FindingKind::race);
  EXPECT_EQ(goal_of("no bank conflict").finding, FindingKind::bank_conflict);
  const Goal loads = goal_of("at most 4 sectors per request for every global load in move");
  EXPECT_EQ(loads.kind, GoalKind::per_request);
  EXPECT_EQ(loads.limit, 4);
  EXPECT_EQ(loads.space, Space::global);
  EXPECT_EQ(loads.access, GoalAccess::load);
  EXPECT_EQ(loads.step, "move");
  const Goal shared = goal_of("at most 1.5 wavefronts per request for every shared access");
  EXPECT_EQ(shared.space, Space::shared);
  EXPECT_EQ(shared.limit, 1.5);
  for (const char* name : {"sectors of global memory", "global_sectors"}) {
    const Goal count = goal_of(std::string("at most 24576 ") + name);
    EXPECT_EQ(count.kind, GoalKind::count);
    EXPECT_EQ(count.count, "global_sectors");
    EXPECT_EQ(count.limit, 24576);
    EXPECT_TRUE(count.step.empty()) << "“of global memory” is not a kernel";
  }
  const Goal half = goal_of("at most 50 % of the starter's warp instructions");
  EXPECT_EQ(half.kind, GoalKind::of_starter);
  EXPECT_EQ(half.limit, 0.5);
  EXPECT_EQ(half.count, "instructions");
  EXPECT_EQ(goal_of("at least 32 resident_warps").limit, 32);
  const Goal speed = goal_of("at least 1.5x as fast as the starter on a GPU");
  EXPECT_EQ(speed.kind, GoalKind::speed);
  EXPECT_EQ(speed.limit, 1.5);
}

TEST(Goals, ThatAreNotOneSayWhatToWrite) {
  const std::pair<const char*, const char*> rows[] = {
      {"", "is not a goal"},
      {"be fast", "is not a goal"},
      {"no waste", "there is no finding “waste”"},
      {"at most four sectors of global memory", "is not a goal"},
      {"at most -1 sectors of global memory", "is not a goal"},
      {"at most 4 sectors per request for every global thing", "is not a goal"},
      {"at most 3 sectores", "there is no count “sectores” to limit"},
      {"at most 3 resident_warps", "limits the wrong side"},
      {"at least 3 global_sectors", "limits the wrong side"},
      {"at least 50 % of the starter's global_sectors", "there is no count"},
  };
  for (const auto& [text, said] : rows) {
    const Result<Goal> goal = parse_goal(text);
    ASSERT_FALSE(goal) << text;
    EXPECT_THAT(goal.error().what, HasSubstr(said)) << text;
    EXPECT_FALSE(goal.error().remedy.empty()) << text;
  }
}

TEST(Goals, AboutLoadsLeaveStoresAndAtomicsOut) {
  AccessSite site;
  site.totals.requests = 1;
  const Goal loads = goal_of("at most 4 sectors per request for every global load");
  const Goal atomics = goal_of("at most 4 sectors per request for every global atomic");
  EXPECT_TRUE(is_about(loads, site));
  site.kind = AccessKind::store;
  EXPECT_FALSE(is_about(loads, site));
  site.kind = AccessKind::reduction;
  EXPECT_FALSE(is_about(loads, site));
  EXPECT_TRUE(is_about(atomics, site));
  site.space = Space::shared;
  EXPECT_FALSE(is_about(atomics, site));
}

constexpr const char* kExercise = R"(title = "Twice"
text = "Double it."
kernel = "twice.cu"
hints = ["Multiply by 2."]
counted = [{ n = 1024, op = "copy" }, { n = 5 }]
hidden = [{ n = 1 }]
[[goal]]
goal = "right at every size"
points = 4
[[goal]]
goal = "no bank conflict"
name = "banks"
points = 2.5
why = "A bank gives one word per wavefront."
)";

TEST(Exercises, AreReadWithSizesHintsAndGoals) {
  const Result<Exercise> exercise = parse_exercise(kExercise, "exercise.toml");
  ASSERT_TRUE(exercise) << sentence(exercise.error());
  EXPECT_EQ(exercise->variant, "yours");
  EXPECT_EQ(exercise->starter, "starter");
  ASSERT_EQ(exercise->counted.size(), 2u);
  EXPECT_EQ(axes_text(exercise->counted[0]), "n=1024, op=copy");
  EXPECT_EQ(axes_text(exercise->hidden.at(0)), "n=1");
  EXPECT_EQ(axes_text({}), "the scene's defaults");
  ASSERT_EQ(exercise->goals.size(), 2u);
  EXPECT_EQ(exercise->goals[0].points, 4);
  EXPECT_EQ(exercise->goals[1].name, "banks");
  EXPECT_EQ(exercise->goals[1].points, 2.5);
}

std::string said_of(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  const Result<Exercise> exercise = parse_exercise(text.replace(at, from.size(), to), "e.toml");
  EXPECT_FALSE(exercise) << to;
  return exercise ? "" : sentence(exercise.error());
}

TEST(Exercises, ThatAreWrongAreRefusedWithTheLine) {
  EXPECT_THAT(said_of(kExercise, "title", "titel"), HasSubstr("e.toml:1"));
  EXPECT_THAT(said_of(kExercise, "kernel = \"twice.cu\"\n", ""),
              HasSubstr("kernel = \"saxpy.cu\""));
  EXPECT_THAT(
      said_of(kExercise, "counted = [{ n = 1024, op = \"copy\" }, { n = 5 }]", "counted = []"),
      HasSubstr("it has no sizes"));
  EXPECT_THAT(said_of(kExercise, "{ n = 1 }", "5"), HasSubstr("it is not a table of axes"));
  EXPECT_THAT(said_of(kExercise, "points = 4", "points = 0"), HasSubstr("a number above 0"));
  EXPECT_THAT(said_of(kExercise, "no bank conflict", "no bank"), HasSubstr("e.toml:10"));
  EXPECT_THAT(said_of(kExercise, "no bank conflict", "right at every size"),
              HasSubstr("this goal is there twice"));
  EXPECT_THAT(said_of(kExercise, "right at every size", "no fault"),
              HasSubstr("no goal says that the output must be right"));
}

}  // namespace
}  // namespace warpscope
