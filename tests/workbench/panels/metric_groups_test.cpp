// tests/workbench/panels/metric_groups_test.cpp: groups of metrics fold, the shares of the roofs
// come first.
#include "workbench/panels/figures/metric_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/workbench/window/null_window.h"
#include "tests/workbench/workspace/sample_session.h"
#include "workbench/panels/figures/metric_lines.h"
#include "workbench/panels/variants/ladder.h"

namespace warpscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::unique_ptr<Workspace> fresh() {
  return sample::recorded({sample::roofs(), sample::correct(sample::baseline, 240e3),
                           sample::correct(sample::focus, 120e3)});
}

TEST(MetricGroups, TheSharesOfTheRoofsComeFirst) {
  NullWindow window(1200, 700);
  const std::string words = window.panel(*fresh(), "metrics");
  const std::size_t memory = words.find("memory, of the L2 roof"),
                    compute = words.find("compute, of the FP32 roof"),
                    time = words.find("time, warm");
  ASSERT_NE(memory, std::string::npos);
  ASSERT_NE(compute, std::string::npos);
  EXPECT_LT(memory, compute);
  EXPECT_LT(compute, time);
  EXPECT_THAT(words, HasSubstr("72.92 %")) << "700 MB in 120 µs of 8 TB/s";
}

TEST(MetricGroups, DetailsFoldAndAFilterFindsThem) {
  NullWindow window(1200, 700);
  auto workspace = fresh();
  EXPECT_THAT(window.panel(*workspace, "metrics"),
              AllOf(HasSubstr("▸ memory, "), HasSubstr("DRAM bytes read"),
                    Not(HasSubstr("L1 wavefronts"))));
  window.panels.metrics.open = {"memory"};
  EXPECT_THAT(window.panel(*workspace, "metrics"),
              AllOf(HasSubstr("▾ memory"), HasSubstr("L1 wavefronts")));
  window.panels.metrics.open.clear();
  std::snprintf(window.panels.metrics.filter.text, sizeof window.panels.metrics.filter.text, "%s",
                "wavefronts");
  EXPECT_THAT(window.panel(*workspace, "metrics"), HasSubstr("L1 wavefronts"));
}

TEST(MetricGroups, SaysLessAndMoreAndWhatIsBetter) {
  NullWindow window(1200, 700);
  EXPECT_THAT(window.panel(*fresh(), "metrics"),
              AllOf(HasSubstr("50 % less · better"), Not(HasSubstr("-50")), Not(HasSubstr("▲"))));
}

TEST(MetricGroups, CountsWhatFolds) {
  MetricValue chief{"time.warm", 1.0}, detail{"l1.wavefronts", 2.0}, other{"l2.sectors", 3.0};
  std::vector<MetricLine> lines;
  for (const MetricValue* value : {&chief, &detail, &other}) {
    MetricLine line{value};
    line.group = value == &chief ? "time" : "memory";
    lines.push_back(line);
  }
  std::vector<TableRow> rows(3);
  for (std::size_t i = 0; i < 3; ++i) rows[i].index = i;
  std::vector<GroupedRow> drawn = grouped(rows, lines, {}, false, true);
  ASSERT_EQ(drawn.size(), 3u) << "two heads and the chief";
  EXPECT_EQ(drawn[2].group, "memory");
  EXPECT_EQ(drawn[2].details, 2u);
  EXPECT_EQ(grouped(rows, lines, {"memory"}, false, true).size(), 5u);
  EXPECT_EQ(grouped(rows, lines, {}, true, true).size(), 5u);
  EXPECT_EQ(grouped(rows, lines, {}, true, false).size(), 3u) << "sorted rows have no heads";
}

TEST(ReportedWords, NameTheReferenceOnce) {
  ReportedError error;
  error.reference = "exact";
  error.sentence = "against exact: 3 of 9 elements are beyond the bound";
  EXPECT_EQ(reported_words(error), "without effect on the verdict, " + error.sentence);
  error.sentence = "3 of 9";
  EXPECT_EQ(reported_words(error), "compared with exact, without effect on the verdict: 3 of 9");
}

// 500 µs are prepared once, and a run then takes 120 µs in place of 240 µs: after four runs 980 µs
// are set against 960 µs, after five 1100 µs against 1200 µs.
TEST(BreakEven, IsTheFirstRunAfterWhichPreparationHasPaidOff) {
  Measurement focus = sample::correct(sample::focus, 120e3);
  const Measurement base = sample::correct(sample::baseline, 240e3);
  EXPECT_FALSE(break_even(focus, base)) << "nothing is prepared";
  set_value(focus.metrics, {"time.prepare", 500e3, Origin::measured, "", ""});
  const auto runs = break_even(focus, base);
  ASSERT_TRUE(runs && runs->value);
  EXPECT_EQ(*runs->value, 5);
  EXPECT_EQ(runs->origin, Origin::derived);
  // The baseline prepares as well: 20 µs less have to be paid off.
  Measurement prepared = base;
  set_value(prepared.metrics, {"time.prepare", 20e3, Origin::measured, "", ""});
  EXPECT_EQ(break_even(focus, prepared)->value, 4);
  // What is slower never pays off, and the row says so.
  Measurement fast = base;
  set_value(fast.metrics, {"time.prepare", 500e3, Origin::measured, "", ""});
  const auto never = break_even(fast, focus);
  ASSERT_TRUE(never);
  EXPECT_FALSE(never->value);
  EXPECT_THAT(never->reason, HasSubstr("does not pay off"));
}

TEST(BreakEven, StandsBelowThePreparation) {
  NullWindow window(1600, 900);
  Measurement focus = sample::correct(sample::focus, 120e3);
  set_value(focus.metrics, {"time.prepare", 500e3, Origin::measured, "", ""});
  auto workspace = sample::recorded({focus, sample::correct(sample::baseline, 240e3)});
  const std::string words = window.panel(*workspace, "metrics");
  const std::size_t prepare = words.find("prepare"), runs = words.find("break-even");
  ASSERT_NE(prepare, std::string::npos);
  ASSERT_NE(runs, std::string::npos) << words;
  EXPECT_LT(prepare, runs);
}

}  // namespace
}  // namespace warpscope
