// tests/profiling/grading/grade_test.cpp: grades of made-up evidence, with counts from closed
// forms.
#include "profiling/grading/grade.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "profiling/grading/grade_export.h"

namespace warpscope {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Exercise exercise_of(const std::vector<std::string>& goals) {
  Exercise exercise;
  exercise.title = "Twice & more";
  exercise.kernel = "twice.cu";
  for (const std::string& text : goals) {
    Goal goal = parse_goal(text).value();
    goal.points = 2;
    exercise.goals.push_back(std::move(goal));
  }
  return exercise;
}

GradeCheck check(CheckKind kind, Outcome outcome) {
  GradeCheck made{kind, "n=5", {}};
  made.verdict.outcome = outcome;
  made.verdict.sentence = "3 of 5 elements are beyond the bound";
  return made;
}

// 100 requests of 16 sectors on line 7 and 50 of 4 on line 9; the starter has 3 600 sectors.
GradeEvidence evidence() {
  GradeEvidence made;
  made.checks = {check(CheckKind::named, Outcome::correct),
                 check(CheckKind::size, Outcome::nothing_to_do)};
  GradeCounts& counts = made.counts.emplace_back();
  counts.where = "n=5";
  Trace& trace = counts.traces.emplace_back();
  trace.step = "twice";
  for (const auto& [line, requests, sectors] : {std::tuple(7, 100, 1600), std::tuple(9, 50, 200)}) {
    AccessSite& site = trace.sites.emplace_back();
    site.position = {"twice/twice.cu", line, 0};
    site.text = "ld.global.f32";
    site.totals.requests = requests;
    site.totals.sectors = sectors;
  }
  GateRecord& record = counts.records.emplace_back();
  record.counts = {{"global_sectors", 1800}, {"resident_warps", 32}};
  record.lines = {{"twice/twice.cu", "", 7, {{"global_sectors", 1600}}},
                  {"twice/twice.cu", "", 9, {{"global_sectors", 200}}}};
  counts.starter.emplace_back().counts = {{"global_sectors", 3600}};
  return made;
}

GoalResult result_of(const std::string& goal, const GradeEvidence& found) {
  return grade_of(exercise_of({goal}), found).results.at(0);
}

TEST(Grades, CompareCountsWithTheGoals) {
  const std::tuple<const char*, GoalOutcome, const char*, int> rows[] = {
      {"right at every size", GoalOutcome::met, "right in 2 runs", 0},
      {"at most 16 sectors per request for every global load", GoalOutcome::met, "16", 0},
      {"at most 15.9 sectors per request for every global load", GoalOutcome::missed, "16", 7},
      {"at most 4 sectors per request for every global store", GoalOutcome::met, "no such", 0},
      {"at most 1800 sectors of global memory", GoalOutcome::met, "1 800", 0},
      {"at most 1799 sectors of global memory", GoalOutcome::missed, "1 800", 7},
      {"at most 50 % of the starter's global_sectors", GoalOutcome::met, "50.0 %", 0},
      {"at most 49.9 % of the starter's global_sectors", GoalOutcome::missed, "50.0 %", 7},
      {"at least 32 resident_warps", GoalOutcome::met, "32", 0},
      {"at least 33 resident_warps", GoalOutcome::missed, "32", 0},
      {"no bank conflict", GoalOutcome::met, "none", 0},
      {"at least 1.5x as fast as the starter on a GPU", GoalOutcome::not_measured, "not", 0},
  };
  for (const auto& [goal, outcome, found, line] : rows) {
    const GoalResult result = result_of(goal, evidence());
    EXPECT_EQ(result.outcome, outcome) << goal;
    EXPECT_THAT(result.found, HasSubstr(found)) << goal;
    EXPECT_EQ(result.position.line, line) << goal;
    EXPECT_EQ(result.points, outcome == GoalOutcome::met ? 2 : 0) << goal;
    EXPECT_EQ(result.of, outcome == GoalOutcome::not_measured ? 0 : 2) << goal;
    EXPECT_EQ(result.reason.empty(),
              outcome == GoalOutcome::met || outcome == GoalOutcome::not_measured)
        << goal << ": " << result.reason;
  }
}

TEST(Grades, TakeTheWorstOfTheSizes) {
  GradeEvidence found = evidence();
  found.counts.push_back(found.counts.front());
  found.counts.back().where = "n=77";
  found.counts.back().records.front().counts["global_sectors"] = 3600;
  const GoalResult result = result_of("at most 50 % of the starter's global_sectors", found);
  EXPECT_EQ(result.outcome, GoalOutcome::missed);
  EXPECT_THAT(result.found, AllOf(HasSubstr("100.0 %"), HasSubstr("n=77")));
}

TEST(Grades, CompareTimesWhereThereAreSome) {
  GradeEvidence found = evidence();
  found.starter_ns = 3000;
  found.yours_ns = 2000;
  EXPECT_EQ(result_of("at least 1.5x as fast as the starter on a GPU", found).points, 2);
  const GoalResult slow = result_of("at least 1.6x as fast as the starter on a GPU", found);
  EXPECT_EQ(slow.outcome, GoalOutcome::missed);
  EXPECT_EQ(slow.found, "1.50x");
}

TEST(Grades, OfAKernelThatIsNotRightCountNothing) {
  const std::pair<GradeCheck, GradeVerdict> rows[] = {
      {check(CheckKind::named, Outcome::wrong), GradeVerdict::wrong},
      {check(CheckKind::named, Outcome::compile_failed), GradeVerdict::wrong},
      {check(CheckKind::named, Outcome::cannot_run), GradeVerdict::wrong},
      {check(CheckKind::size, Outcome::faulted), GradeVerdict::wrong},
      {check(CheckKind::size, Outcome::wrong), GradeVerdict::refused},
      {check(CheckKind::other_inputs, Outcome::wrong), GradeVerdict::refused},
      {check(CheckKind::second_run, Outcome::wrong), GradeVerdict::refused},
  };
  for (const auto& [failed, verdict] : rows) {
    GradeEvidence found = evidence();
    found.checks.push_back(failed);
    const Grade grade = grade_of(
        exercise_of({"right at every size", "no fault", "at most 9999 global_sectors"}), found);
    EXPECT_EQ(grade.verdict, verdict) << to_text(failed.verdict.outcome);
    EXPECT_EQ(grade.points, 0);
    EXPECT_EQ(grade.of, 6);
    EXPECT_THAT(grade.reason, HasSubstr("3 of 5 elements"));
  }
}

TEST(Grades, RefuseWritesToAnInputByTheirPlace) {
  Trace trace;
  trace.buffers = {{"x", "x[n]", ElementType::f32, {5}, 256, 20}};
  Fault fault;
  fault.buffer = "x";
  fault.index = 4;
  fault.needed = 5;
  EXPECT_TRUE(writes_input(trace, fault)) << "inside of x, and a fault all the same";
  fault.needed = 6;
  EXPECT_FALSE(writes_input(trace, fault)) << "a wide access that ends beyond x";
  fault.needed = 6;
  fault.index = 5;
  EXPECT_FALSE(writes_input(trace, fault));
  fault = {.kind = FaultKind::shared_race, .buffer = "x", .index = 4, .needed = 5};
  EXPECT_FALSE(writes_input(trace, fault));
}

TEST(Grades, HaveTheFieldsThatGradescopeReads) {
  GradeEvidence found = evidence();
  found.not_timed = "there is no GPU here";
  const Grade grade = grade_of(
      exercise_of({"right at every size", "at most 4 sectors per request for every global access",
                   "at least 1.5x as fast as the starter on a GPU"}),
      found);
  const json all = json::parse(grade_gradescope(grade));
  EXPECT_EQ(all.at("score"), 2);
  EXPECT_EQ(all.at("output_format"), "text");
  EXPECT_EQ(all.at("visibility"), "visible");
  EXPECT_EQ(all.at("stdout_visibility"), "hidden");
  ASSERT_EQ(all.at("tests").size(), 3u);
  const std::tuple<int, int, const char*> rows[] = {
      {2, 2, "passed"}, {0, 2, "failed"}, {0, 0, "passed"}};
  for (std::size_t i = 0; i < 3; ++i) {
    const json& test = all.at("tests")[i];
    const auto& [score, most, status] = rows[i];
    EXPECT_EQ(test.at("score"), score) << i;
    EXPECT_EQ(test.at("max_score"), most) << i;
    EXPECT_EQ(test.at("status"), status) << i;
    EXPECT_EQ(test.at("name"), grade.results[i].goal.text);
    EXPECT_FALSE(test.at("output").get<std::string>().empty());
  }
}

TEST(Grades, AreTextAndNothingElseOnAPage) {
  Grade grade =
      grade_of(exercise_of({"at most 4 sectors per request for every global access"}), evidence());
  grade.results.front().line_text = "if (i < n) y[i] = \"<script>\";";
  EXPECT_THAT(grade_html(grade), AllOf(HasSubstr("Twice &amp; more"), HasSubstr("&lt;script&gt;"),
                                       Not(HasSubstr("<script"))));
}

}  // namespace
}  // namespace warpscope
