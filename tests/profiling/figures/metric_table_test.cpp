// tests/profiling/figures/metric_table_test.cpp: what rows of the metric table promise.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "profiling/figures/metric.h"

namespace warpscope {
namespace {

using testing::HasSubstr;
using testing::Not;

const CounterSet& set_named(const std::string& name) {
  const auto sets = counter_sets();
  return *std::find_if(sets.begin(), sets.end(),
                       [&](const CounterSet& set) { return set.name == name; });
}

bool has(const CounterSet& set, const char* id) {
  return std::find(set.metrics.begin(), set.metrics.end(), id) != set.metrics.end();
}

TEST(MetricTable, NumbersWithoutABetterSideAreNeverColoured) {
  // 16 sectors per request are ideal for float4, 4 for float: neither is better by itself.
  for (const char* id :
       {"l1.sectors_per_request_load", "l1.sectors_per_request_store", "l1.requests_load",
        "emulated.l1.sectors_per_request_load", "rate.dram_bytes", "rate.l2_bytes", "rate.l1_bytes",
        "l1.hit_ratio", "l2.hit_ratio", "registers", "stall.wait"}) {
    const Metric* metric = find_metric(id);
    ASSERT_NE(metric, nullptr) << id;
    EXPECT_EQ(metric->better, Better::neither) << id;
    EXPECT_THAT(change_text(16, 4, metric->better), Not(HasSubstr("worse"))) << id;
  }
  for (const char* id : {"time.warm", "dram.bytes_read", "shared.bank_conflicts", "local_bytes"})
    EXPECT_EQ(find_metric(id)->better, Better::lower) << id;
  EXPECT_EQ(find_metric("rate.useful_bytes")->better, Better::higher);
}

TEST(MetricTable, NoneAtAllIsWrittenWithoutDecimals) {
  for (const char* unit : {"B", "FLOP", "FLOP/s", "B/s"})
    EXPECT_EQ(format_value(0, unit), std::string("0 ") + unit);
}

TEST(MetricTable, LanesThatActCostTheStandardSetNoPass) {
  const Metric* acting = find_metric("inst.lanes_acting");
  ASSERT_NE(acting, nullptr);
  EXPECT_EQ(acting->cupti_name, "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio");
  EXPECT_TRUE(has(set_named("full"), "inst.lanes_acting"));
  EXPECT_FALSE(has(set_named("standard"), "inst.lanes_acting"));
  EXPECT_TRUE(has(set_named("standard"), "inst.lanes"));
  // A lane whose predicate is off counts as active: 32 does not say that there is no divergence.
  EXPECT_THAT(find_metric("inst.lanes")->sentence, HasSubstr("predicate is off"));
  for (const char* id : {"inst.lanes", "emulated.inst.lanes"})
    EXPECT_THAT(find_metric(id)->sentence, Not(HasSubstr("no divergence"))) << id;
}

TEST(Changes, AreWrittenWithoutAnExponent) {
  EXPECT_EQ(change_text(4.5, 2, Better::neither), "2.25× as much");
  EXPECT_EQ(change_text(999, 1, Better::neither), "999× as much");
  EXPECT_EQ(change_text(38.28e6, 9290, Better::lower), grouped(4121) + "× as much · worse");
  EXPECT_THAT(change_text(7.1e9, 1, Better::neither), Not(HasSubstr("e+")));
}

}  // namespace
}  // namespace warpscope
