// tests/profiling/points/tag_totals_test.cpp: sums by tag, by hand-computed values.
#include "profiling/points/tag_totals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpscope {
namespace {

using testing::ElementsAre;

MetricValue counted(const char* id, double value) { return {id, value, Origin::measured, "", ""}; }

StepRecord step(const char* name, const char* layer, double time_ns, double requests,
                double sectors_a_request) {
  StepRecord record;
  record.name = name;
  record.tags = {{"layer", layer}};
  record.time_ns = time_ns;
  record.metrics = {counted("l1.requests_load", requests),
                    counted("l1.sectors_per_request_load", sectors_a_request)};
  return record;
}

Measurement training() {
  Measurement m;
  m.steps = {step("conv", "Conv1", 1000, 100, 4), step("relu", "Conv1", 3000, 300, 16),
             step("pool", "Pool1", 500, 10, 8), step("sgd", "", 700, 1, 1)};
  m.steps[0].tags["phase"] = "forward";
  m.steps.back().tags.clear();
  StepRecord prepare = step("search", "Conv1", 9e9, 1, 1);
  prepare.phase = Phase::prepare;
  m.steps.insert(m.steps.begin(), prepare);
  return m;
}

TEST(TagTotals, SumTimesAndCountsAndWeighRatios) {
  const Measurement m = training();
  EXPECT_THAT(tags_of(m), ElementsAre("layer", "phase"));
  const std::vector<TagTotal> totals = totals_by_tag(m, "layer");
  ASSERT_EQ(totals.size(), 3u);
  EXPECT_EQ(totals[0].value, "Conv1");
  EXPECT_EQ(totals[0].steps, 2);
  EXPECT_EQ(totals[0].time_ns, 4000);
  EXPECT_EQ(value_of(totals[0].metrics, "l1.requests_load"), 400);
  EXPECT_EQ(value_of(totals[0].metrics, "l1.sectors_per_request_load"), 13);  // 5200 / 400
  EXPECT_EQ(find_value(totals[0].metrics, "l1.requests_load")->origin, Origin::derived);
  EXPECT_EQ(totals[1].value, "Pool1");
  EXPECT_EQ(value_of(totals[1].metrics, "l1.sectors_per_request_load"), 8);
  EXPECT_EQ(find_value(totals[1].metrics, "l1.requests_load")->origin, Origin::measured);
  EXPECT_EQ(totals[2].value, "");
  EXPECT_EQ(totals[2].time_ns, 700);
}

TEST(TagTotals, ASumThatLacksAStepSaysWhich) {
  Measurement m = training();
  m.steps[2].time_ns.reset();
  m.steps[2].metrics[0].value.reset();
  const TagTotal conv = totals_by_tag(m, "layer").front();
  EXPECT_FALSE(conv.time_ns);
  EXPECT_EQ(conv.reason, "step relu was not timed");
  const MetricValue* requests = find_value(conv.metrics, "l1.requests_load");
  EXPECT_FALSE(requests->value);
  EXPECT_EQ(requests->reason, "step relu has no such figure");
}

TEST(TagTotals, WithoutTheTagAllStepsAreOne) {
  const std::vector<TagTotal> totals = totals_by_tag(training(), "no such tag");
  ASSERT_EQ(totals.size(), 1u);
  EXPECT_EQ(totals[0].steps, 4);
}

}  // namespace
}  // namespace warpscope
