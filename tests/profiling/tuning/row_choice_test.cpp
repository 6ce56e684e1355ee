// tests/profiling/tuning/row_choice_test.cpp: when an automatic row times its candidates, and what
// it runs then.
#include "profiling/tuning/row_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "tests/profiling/agreement/csrmm_facts.h"
#include "tests/profiling/tuning/own_cache.h"

namespace warpscope {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// By expected time, and one more than are timed.
constexpr const char* kTable =
    "warpscope choice 2\nscene csrmm\ndevice Card A\nrow auto\nfeature n\n"
    "cost k_tiles 0\ncost block_row 1\ncost row_split 2\ncost merge_path 3\n"
    "cost row_swizzle 4\ncost warp_row_branch_free 5\ncost block_row_narrow 6\ntime 8\n";
const std::vector<std::string> kNearest = {"k_tiles",    "block_row",   "row_split",
                                           "merge_path", "row_swizzle", "warp_row_branch_free"};

const Scene& csrmm() { return **built_in_catalogue().find("csrmm"); }

// An engine that has times and verdicts of rows as the test says.
class RowChoiceTest : public OwnCache {
 protected:
  RowChoiceTest()
      : model_(*parse_choice_model(kTable, "table")),
        workload_{default_configuration(csrmm().axes), facts_of_default_csrmm()},
        question_{csrmm(), *find_variant(csrmm(), "auto"), workload_} {
    question_.model = &model_;
    question_.device = "Card B";
    question_.driver = "580.1";
    question_.code_id = [this](const Variant& row) {
      return code_ + std::to_string(row.steps(workload_).size());
    };
  }
  Result<RowChoice> choose() {
    tried_.clear();
    ChoiceMemory memory;  // as a process that starts now
    return choose_row(question_, memory, [this](const ChosenRow& row, const Variant& taking) {
      tried_.push_back(row.variant);
      steps_[row.variant] = taking.steps(workload_).size();
      const auto found = answers_.find(row.variant);
      return found == answers_.end() ? Result<RowTrial>(RowTrial{5000, ""}) : found->second;
    });
  }

  ChoiceModel model_;
  Workload workload_;
  RowQuestion question_;
  std::map<std::string, Result<RowTrial>> answers_ = {{"block_row", RowTrial{3000, ""}},
                                                      {"row_split", RowTrial{4000, ""}}};
  std::vector<std::string> tried_;
  std::map<std::string, std::size_t> steps_;
  std::string code_ = "code";
};

TEST_F(RowChoiceTest, TimesTheNearestOnceAndRemembers) {
  const auto first = choose();
  ASSERT_TRUE(first) << sentence(first.error());
  EXPECT_EQ(tried_, kNearest);
  ASSERT_TRUE(first->picked && first->instead);
  EXPECT_EQ(first->picked->row.variant, "block_row");
  EXPECT_EQ(first->picked->reason, PickReason::measured);
  ASSERT_EQ(first->picked->tried.size(), kTimedRows);
  EXPECT_EQ(first->picked->tried[0].row.variant, "k_tiles");
  EXPECT_NEAR(first->picked->tried[0].expected_ns, std::exp(8), 1e-6);
  EXPECT_EQ(first->picked->tried[0].ns, 5000);
  EXPECT_EQ(first->why, find_variant(csrmm(), "block_row")->label +
                            ": measured now: 3.00 µs; the next, " +
                            find_variant(csrmm(), "row_split")->label + ", 4.00 µs");
  const auto second = choose();
  ASSERT_TRUE(second && second->picked);
  EXPECT_THAT(tried_, IsEmpty());
  EXPECT_EQ(second->picked->row.variant, "block_row");
  EXPECT_EQ(second->picked->reason, PickReason::remembered);
  EXPECT_EQ(second->picked->tried.size(), kTimedRows);
  EXPECT_THAT(second->why, HasSubstr(": remembered: 3.00 µs"));
}

TEST_F(RowChoiceTest, RunsTheStepsOfTheRowThatItTook) {
  const auto choice = choose();
  ASSERT_TRUE(choice && choice->instead);
  for (const auto& [row, count] : steps_)
    EXPECT_EQ(count, find_variant(csrmm(), row)->steps(workload_).size()) << row;
  const auto step_of = [this](const Variant& v) { return v.steps(workload_).back().name; };
  const Variant& block_row = *find_variant(csrmm(), "block_row");
  EXPECT_EQ(step_of(*choice->instead), step_of(block_row));
  EXPECT_EQ(choice->instead->name, "auto");
  EXPECT_EQ(choice->instead->choice, nullptr);
  EXPECT_FALSE(unavailable(*choice->instead, workload_, question_.limits));
}

TEST_F(RowChoiceTest, OnTheDeviceOfTheTableTimesWhatTheTableHasNoTimeOf) {
  question_.device = "Card A";
  auto choice = choose();
  ASSERT_TRUE(choice && choice->picked);
  EXPECT_EQ(tried_.size(), kTimedRows);
  EXPECT_EQ(choice->picked->row.variant, "block_row");
  EXPECT_EQ(choice->picked->reason, PickReason::measured);
  choice = choose();
  ASSERT_TRUE(choice && choice->picked);
  EXPECT_THAT(tried_, IsEmpty());
  EXPECT_EQ(choice->picked->reason, PickReason::remembered);
}

TEST_F(RowChoiceTest, AtAPointOfTheTableTimesNothingOnItsDevice) {
  CostTable& table = model_.tables.front();
  const ChoiceFeatures features = (*find_choice_scene("csrmm"))->features(csrmm().axes);
  table.points.push_back(
      {place_of(feature_values(table, features, workload_)), {"merge_path", {}}, 900});
  question_.device = "Card A";
  auto choice = choose();
  ASSERT_TRUE(choice && choice->picked);
  EXPECT_THAT(tried_, IsEmpty());
  EXPECT_FALSE(choice->instead);
  EXPECT_EQ(choice->picked->row.variant, "merge_path");
  EXPECT_EQ(choice->picked->reason, PickReason::table);
  question_.device = "Card B";
  choice = choose();
  ASSERT_TRUE(choice && choice->picked);
  EXPECT_EQ(choice->picked->reason, PickReason::measured) << "the point is of another card";
}

TEST_F(RowChoiceTest, IsChosenAsThePersonAsks) {
  question_.by = ChooseBy::table;
  auto choice = choose();
  ASSERT_TRUE(choice && choice->picked && choice->instead);
  EXPECT_THAT(tried_, IsEmpty());
  EXPECT_EQ(choice->picked->row.variant, "k_tiles");
  EXPECT_EQ(choice->picked->reason, PickReason::table);
  EXPECT_THAT(choice->why, HasSubstr("expected on an Card A"));
  question_.device = "Card A";
  choice = choose();
  ASSERT_TRUE(choice && choice->picked);
  EXPECT_THAT(tried_, IsEmpty());
  EXPECT_FALSE(choice->instead) << "the row takes it itself";
  question_.by = ChooseBy::measure;
  choice = choose();
  ASSERT_TRUE(choice && choice->picked);
  EXPECT_EQ(tried_.size(), kTimedRows);
  EXPECT_EQ(choice->picked->reason, PickReason::measured);
}

TEST_F(RowChoiceTest, NeverTakesARowThatIsWrongThere) {
  answers_.insert_or_assign("block_row", RowTrial{std::nullopt, "wrong: 3 elements"});
  for (const PickReason reason : {PickReason::measured, PickReason::remembered}) {
    const auto choice = choose();
    ASSERT_TRUE(choice && choice->picked);
    EXPECT_EQ(choice->picked->row.variant, "row_split");
    EXPECT_EQ(choice->picked->reason, reason);
    EXPECT_THAT(choice->why, HasSubstr("; left out: " + find_variant(csrmm(), "block_row")->label +
                                       ", wrong: 3 elements"));
  }
}

TEST_F(RowChoiceTest, TimesARowThatWasWrongWithSuchAChoiceBecauseItIsChecked) {
  model_.tables.front().rows[0].never = {{"op", "NT"}};  // k_tiles
  question_.by = ChooseBy::table;
  EXPECT_EQ(choose()->picked->row.variant, "block_row") << "the table alone does not take it";
  question_.by = ChooseBy::device;
  answers_.insert_or_assign("k_tiles", RowTrial{1000, ""});
  EXPECT_EQ(choose()->picked->row.variant, "k_tiles");
}

TEST_F(RowChoiceTest, SaysSoWhereNoCandidateIsRight) {
  for (const std::string& row : kNearest)
    answers_.insert_or_assign(row, RowTrial{std::nullopt, "wrong"});
  const auto choice = choose();
  ASSERT_FALSE(choice);
  EXPECT_EQ(choice.error().kind, ErrorKind::input);
  EXPECT_THAT(choice.error().what, HasSubstr("none of the candidates can be taken here"));
  EXPECT_FALSE(choice.error().remedy.empty());
}

TEST_F(RowChoiceTest, LeavesARowOutThatEndedTheProcess) {
  answers_.insert_or_assign(
      "block_row", Result<RowTrial>(failure(ErrorKind::fault, "an illegal address", "block_row")));
  const auto fault = choose();
  ASSERT_FALSE(fault);
  EXPECT_EQ(fault.error().kind, ErrorKind::fault);
  EXPECT_THAT(tried_, ElementsAre("k_tiles", "block_row"));
  const auto choice = choose();
  ASSERT_TRUE(choice && choice->picked);
  EXPECT_THAT(tried_, ElementsAreArray(kNearest.begin() + 2, kNearest.end()))
      << "k_tiles has its time";
  EXPECT_EQ(choice->picked->row.variant, "row_split");
  EXPECT_THAT(choice->why, HasSubstr("an illegal address"));
  EXPECT_THAT(choose()->picked->reason, PickReason::remembered);
}

TEST_F(RowChoiceTest, TriesOnlyWhatCanRunOnTheDevice) {
  question_.limits.compute_capability = 80;
  question_.limits.shared_bytes_per_block = 48 << 10;
  ASSERT_TRUE(unavailable(*find_variant(csrmm(), "k_tiles"), workload_, question_.limits));
  const auto choice = choose();
  ASSERT_TRUE(choice && choice->picked);
  EXPECT_THAT(tried_, Not(testing::Contains("k_tiles")));
  EXPECT_THAT(tried_, testing::Contains("block_row"));
}

TEST_F(RowChoiceTest, RemembersNothingThatWasCancelledOrThatMemoryLacked) {
  answers_.insert_or_assign("row_split",
                            Result<RowTrial>(failure(ErrorKind::usage, "cancelled", "")));
  EXPECT_FALSE(choose());
  answers_.insert_or_assign("row_split", RowTrial{std::nullopt, "no room", true});
  for (int n = 0; n < 2; ++n) {
    EXPECT_EQ(choose()->picked->reason, PickReason::measured);
    EXPECT_EQ(tried_.size(), kTimedRows);
  }
  EXPECT_THAT(files_in("choices"), IsEmpty());
}

TEST_F(RowChoiceTest, WhileASliderMovesTimesOnlyOnAnotherDevice) {
  question_.live = true;
  ASSERT_TRUE(choose());
  EXPECT_EQ(tried_.size(), kTimedRows) << "a device that no table was fitted on";
  question_.device = "Card A";
  const auto choice = choose();
  EXPECT_THAT(tried_, IsEmpty());
  ASSERT_TRUE(choice && choice->picked);
  EXPECT_EQ(choice->picked->reason, PickReason::table);
}

TEST_F(RowChoiceTest, WithoutTimingTakesWhatItRemembersElseTheTable) {
  question_.may_time = false;
  auto choice = choose();
  EXPECT_THAT(tried_, IsEmpty());
  ASSERT_TRUE(choice && choice->picked);
  EXPECT_EQ(choice->picked->reason, PickReason::table);
  EXPECT_EQ(choice->picked->row.variant, "k_tiles");
  question_.may_time = true;
  ASSERT_TRUE(choose());
  question_.may_time = false;
  choice = choose();
  EXPECT_EQ(choice->picked->reason, PickReason::remembered);
  EXPECT_EQ(choice->picked->row.variant, "block_row");
}

TEST_F(RowChoiceTest, IsTimedAgainWhereACandidateWasEdited) {
  ASSERT_TRUE(choose());
  code_ = "edited";
  ASSERT_TRUE(choose());
  EXPECT_EQ(tried_.size(), kTimedRows);
}

TEST_F(RowChoiceTest, OfOtherRowsSaysNothing) {
  question_.model = nullptr;
  EXPECT_EQ(choose()->picked, nullptr);
  const RowQuestion other{csrmm(), *find_variant(csrmm(), "block_row"), workload_, &model_};
  ChoiceMemory memory;
  EXPECT_EQ(choose_row(other, memory, nullptr)->picked, nullptr);
}

}  // namespace
}  // namespace warpscope
