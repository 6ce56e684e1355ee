// tests/profiling/plans/plan_file_test.cpp: plans survive as text, notice damage, and fall into
// chunks of equal expected time.
#include "profiling/plans/plan_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace warpscope {
namespace {

using testing::HasSubstr;

Plan plan_with(std::size_t points) {
  Plan plan;
  plan.version = "0.1.0 (3f2a9c1b20)";
  plan.date = "2026-11-29T16:40:00Z";
  plan.scenes = {{"./my kernels", "1f85047b50acc3847702e058f6bbdc61"}};
  plan.estimate = {"it takes a while", "as it did before"};
  for (std::size_t at = 0; at < points; ++at)
    plan.points.push_back({"\"./my kernels/naive\" n=" + std::to_string(at + 1), {}});
  return plan;
}

TEST(PlanFile, IsReadAsItWasWritten) {
  Plan plan = plan_with(3);
  plan.points[1].cost_s = 0.65;
  const Result<Plan> read = parse_plan(to_text(plan), "a.plan");
  ASSERT_TRUE(read) << sentence(read.error());
  EXPECT_EQ(to_text(*read), to_text(plan));
  EXPECT_EQ(read->scenes.at(0).words, "./my kernels");
  EXPECT_EQ(read->points.at(1).words, "\"./my kernels/naive\" n=2");
  EXPECT_EQ(read->points.at(1).cost_s, 0.65);
  EXPECT_FALSE(read->points.at(2).cost_s);
  EXPECT_EQ(read->estimate, plan.estimate);
}

TEST(PlanFile, IsRefusedIfALineIsMissingOrAnother) {
  const std::string text = to_text(plan_with(4));
  const std::string cut = text.substr(0, text.rfind("\"./my"));
  std::string edited = text;
  edited.replace(edited.find("n=3"), 3, "n=5");
  for (const std::string& damaged : {cut, edited, text + "patterns/copy\n"}) {
    const Result<Plan> read = parse_plan(damaged, "a.plan");
    ASSERT_FALSE(read) << damaged;
    EXPECT_THAT(sentence(read.error()), HasSubstr("a.plan"));
    EXPECT_FALSE(read.error().remedy.empty());
  }
  EXPECT_THAT(parse_plan("", "a").error().what, HasSubstr("empty"));
  EXPECT_THAT(parse_plan("csrmm n=32\n", "a").error().what, HasSubstr("not a plan"));
  EXPECT_THAT(parse_plan("# Warpscope plan 2\n", "a").error().what, HasSubstr("newer"));
  EXPECT_THAT(parse_plan("# Warpscope plan 1\n", "a").error().what, HasSubstr("no points"));
}

TEST(PlanFile, MayBeEditedByAPersonWhoSaysSo) {
  std::string text = to_text(plan_with(4));
  text.replace(text.find("n=3"), 3, "n=5");
  const std::string remedy = parse_plan(text, "a").error().remedy;
  const std::size_t begin = remedy.find("# points"), end = remedy.rfind("”");
  const std::size_t line = text.find("# points");
  text.replace(line, text.find('\n', line) - line, remedy.substr(begin, end - begin));
  EXPECT_TRUE(parse_plan(text, "a"));
}

TEST(PlanFile, HasAnIdThatFollowsPointsAndKernelsAlone) {
  const Plan plan = plan_with(4);
  const std::string id = plan_id(plan);
  Plan later = plan;
  later.version = "0.2.0";
  later.date = "2027-01-01T00:00:00Z";
  later.points[0].cost_s = 3;
  EXPECT_EQ(plan_id(later), id);
  Plan other = plan;
  std::swap(other.points[0], other.points[1]);
  EXPECT_NE(plan_id(other), id);
  other = plan;
  other.scenes[0].hash[0] = '2';
  EXPECT_NE(plan_id(other), id);
}

TEST(PlanChunks, AreThePlanTogetherInEveryCount) {
  for (const std::size_t points : {1u, 2u, 7u, 400u}) {
    Plan plan = plan_with(points);
    for (std::size_t at = 0; at < points; ++at)
      if (at % 3 != 0) plan.points[at].cost_s = static_cast<double>(at % 5);
    for (const std::size_t count : {1u, 2u, 3u, 8u, 500u}) {
      std::size_t next = 0;
      for (std::size_t number = 1; number <= count; ++number) {
        const PlanRange range = chunk_of(plan, number, count);
        EXPECT_EQ(range.begin, next) << points << " points, chunk " << number << " of " << count;
        EXPECT_LE(range.begin, range.end);
        next = range.end;
      }
      EXPECT_EQ(next, points);
    }
  }
}

TEST(PlanChunks, AreOfEqualExpectedTime) {
  Plan plan = plan_with(100);
  for (std::size_t at = 0; at < 100; ++at) plan.points[at].cost_s = at < 50 ? 1 : 9;
  // 500 s in all. The first half is 50 s of them.
  const PlanRange first = chunk_of(plan, 1, 2);
  double seconds = 0;
  for (std::size_t at = first.begin; at < first.end; ++at) seconds += *plan.points[at].cost_s;
  EXPECT_NEAR(seconds, 250, 9);
  // A point goes where most of its time falls: 4 s and 6 s to a chunk each.
  Plan two = plan_with(3);
  two.points[0].cost_s = 1;
  two.points[1].cost_s = 3;
  two.points[2].cost_s = 6;
  EXPECT_EQ(chunk_of(two, 1, 2).size(), 2u);
  two.points[1].cost_s = 6;
  two.points[2].cost_s = 3;
  EXPECT_EQ(chunk_of(two, 1, 2).size(), 2u) << "7 s and 3 s, not 1 s and 9 s";
  // Without expected times they are of equal length.
  EXPECT_EQ(chunk_of(plan_with(100), 2, 4).size(), 25u);
}

TEST(PlanTags, TellPointsApart) {
  const std::string id = plan_id(plan_with(2));
  EXPECT_TRUE(is_plan_tag(plan_tag(id, 0)));
  EXPECT_NE(plan_tag(id, 0), plan_tag(id, 1));
  EXPECT_FALSE(is_plan_tag("live/naive"));
}

TEST(Durations, AreSaidInTheUnitsThatAPersonWouldUse) {
  EXPECT_EQ(duration_text(0.64), "0.6 s");
  EXPECT_EQ(duration_text(45.2), "45 s");
  EXPECT_EQ(duration_text(200), "3 min 20 s");
  EXPECT_EQ(duration_text(240), "4 min");
  EXPECT_EQ(duration_text(7500), "2 h 5 min");
}

}  // namespace
}  // namespace warpscope
