// tests/profiling/export/verdicts_test.cpp: verdicts as one table, and which of them are findings.
#include "profiling/export/verdicts.h"

#include <gtest/gtest.h>

#include <map>

#include "profiling/figures/csv_text.h"
#include "scenes/catalogue.h"
#include "tests/profiling/session/synthetic.h"

namespace warpscope {
namespace {

// Rows by column name. Every row has every column.
std::vector<std::map<std::string, std::string>> rows_of(const std::string& csv) {
  const auto rows = parse_csv(csv);
  if (!rows) return {};
  std::vector<std::map<std::string, std::string>> named;
  for (std::size_t i = 1; i < rows->size(); ++i) {
    EXPECT_EQ((*rows)[i].size(), rows->front().size());
    named.emplace_back();
    for (std::size_t k = 0; k < rows->front().size(); ++k)
      named.back()[rows->front()[k]] = (*rows)[i].at(k);
  }
  return named;
}

TEST(Verdicts, AreOneTableWithARowAPointAndPlace) {
  Session emulated, measured;
  Measurement right = synthetic("float4_columns", 1000);
  right.axes = with_defaults((*built_in_catalogue().find("csrmm"))->axes, {});
  right.facts = {{"nnz", 2e6}, {"mean_row", 200}, {"distinct_columns", 10000}};
  Measurement wrong = right;
  wrong.variant = "warp_row_zero_test";
  wrong.verdict = {Outcome::wrong, "c[3, 4] is 7, not 8", "look at line 3", 12.5, 3, 100};
  Measurement lost = right;
  lost.variant = "library";
  lost.verdict = {Outcome::cannot_run, "library calls cannot be emulated", "", 0, 0, 0};
  right.conditions.device = "emulator";
  emulated.apply(right);
  emulated.apply(lost);
  measured.apply(wrong);
  const auto rows = rows_of(verdict_csv({{"emulator", &emulated}, {"GPU", &measured}}));
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].at("scene"), "csrmm");
  EXPECT_EQ(rows[0].at("variant"), "float4_columns");
  EXPECT_EQ(rows[0].at("where"), "emulator");
  EXPECT_EQ(rows[0].at("device"), "emulator");
  EXPECT_EQ(rows[0].at("verdict"), "correct");
  EXPECT_EQ(rows[0].at("finding"), "no");
  EXPECT_EQ(rows[0].at("largest_error"), "0.1");
  EXPECT_NE(rows[0].at("bound"), "");
  for (const Axis& axis : (*built_in_catalogue().find("csrmm"))->axes)
    EXPECT_EQ(rows[0].at(axis.name), to_text(right.axes.at(axis.name))) << axis.name;
  EXPECT_EQ(rows[1].at("verdict"), "cannot run");
  EXPECT_EQ(rows[1].at("largest_error"), "") << "nothing was checked";
  EXPECT_EQ(rows[1].at("finding"), "no");
  EXPECT_EQ(rows[2].at("where"), "GPU");
  EXPECT_EQ(rows[2].at("device"), "synthetic device");
  EXPECT_EQ(rows[2].at("finding"), "yes");
  EXPECT_EQ(rows[2].at("largest_error"), "12.5");
  EXPECT_EQ(rows[2].at("elements_beyond_bound"), "3");
  EXPECT_EQ(rows[2].at("sentence"), "c[3, 4] is 7, not 8");
  EXPECT_FALSE(has_findings(emulated));
  EXPECT_TRUE(has_findings(measured));
}

TEST(Verdicts, OfALessonAreExpectedOnlyWhereItSaysSo) {
  int lessons = 0;
  for (const Scene& scene : built_in_catalogue().scenes()) {
    for (const Variant& variant : scene.variants) {
      Measurement m = synthetic(variant.name, 1000);
      m.scene = scene.name;
      m.verdict.outcome = Outcome::wrong;
      m.axes = {};
      m.facts = {{"nothing", 1}};
      // A recording without the facts that the lesson reads must not end the program.
      EXPECT_TRUE(variant.expected_fault || !wrong_as_expected(m));
      lessons += variant.expected_fault ? 1 : 0;
      m.verdict.outcome = Outcome::timed_out;
      EXPECT_FALSE(wrong_as_expected(m)) << "a lesson is wrong or faults, and nothing else";
    }
  }
  EXPECT_GT(lessons, 0);
}

}  // namespace
}  // namespace warpscope
