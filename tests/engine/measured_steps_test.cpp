// tests/engine/measured_steps_test.cpp: counters of several steps are summed where a sum means
// something.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiling/engine/measure/variant_counters.h"

namespace warpscope {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(MeasuredSteps, SayWhyARatioAndAMaximumHaveNoSum) {
  const auto counted = [](const char* step, double bytes, double cycles, double sectors) {
    return RangeCounters{step,
                         {{"dram.bytes_read", bytes, Origin::measured, "", ""},
                          {"cycles.sm", cycles, Origin::measured, "", ""},
                          {"l1.sectors_per_request_load", sectors, Origin::measured, "", ""}}};
  };
  Measurement m;
  add_run_counters({counted("first", 100, 7, 4), counted("second", 20, 9, 8)}, m);
  EXPECT_EQ(value_of(m.metrics, "dram.bytes_read"), 120);
  const MetricValue* cycles = find_value(m.metrics, "cycles.sm");
  ASSERT_NE(cycles, nullptr);
  EXPECT_FALSE(cycles->value);
  EXPECT_THAT(cycles->reason, HasSubstr("largest"));
  EXPECT_THAT(cycles->reason, Not(HasSubstr("ratio")));
  const MetricValue* sectors = find_value(m.metrics, "l1.sectors_per_request_load");
  ASSERT_NE(sectors, nullptr);
  EXPECT_THAT(sectors->reason, HasSubstr("a ratio of one step"));
  Measurement alone;
  add_run_counters({counted("first", 100, 7, 4)}, alone);
  EXPECT_EQ(value_of(alone.metrics, "cycles.sm"), 7);
}

}  // namespace
}  // namespace warpscope
