// tests/profiling/points/derive_test.cpp: figures derived from measured ones, by hand-computed
// values.
#include "profiling/points/derive.h"

#include <gtest/gtest.h>

namespace warpscope {
namespace {

Measurement with_time(double warm_ns) {
  Measurement m;
  m.verdict.outcome = Outcome::correct;
  m.warm = Timing{CacheState::warm, {warm_ns}};
  summarise(*m.warm);
  return m;
}

TEST(DramRate, TakesTheModelsBytesWhereNothingWasCounted) {
  Measurement m = with_time(2000);
  m.metrics = {{"model.dram_bytes", 4e6, Origin::modelled, "", ""}};
  const std::optional<DramRate> rate = dram_rate(m, CacheState::warm);
  ASSERT_TRUE(rate);
  EXPECT_DOUBLE_EQ(rate->value, 2e12);  // 4 MB in 2 µs
  EXPECT_EQ(rate->bytes_origin, Origin::modelled);
}

TEST(DramRate, PrefersCountedBytesReadAndWritten) {
  Measurement m = with_time(2000);
  m.metrics = {{"model.dram_bytes", 4e6, Origin::modelled, "", ""},
               {"dram.bytes_read", 5e6, Origin::measured, "", ""},
               {"dram.bytes_write", 1e6, Origin::measured, "", ""}};
  const std::optional<DramRate> rate = dram_rate(m, CacheState::warm);
  ASSERT_TRUE(rate);
  EXPECT_DOUBLE_EQ(rate->value, 3e12);
  EXPECT_EQ(rate->bytes_origin, Origin::measured);
}

TEST(DramRate, IsNotThereWithoutTimeBytesOrACorrectOutput) {
  Measurement m = with_time(2000);
  EXPECT_FALSE(dram_rate(m, CacheState::warm));
  // Only reads were counted and there is no model.
  m.metrics = {{"dram.bytes_read", 5e6, Origin::measured, "", ""}};
  EXPECT_FALSE(dram_rate(m, CacheState::warm));
  m.metrics = {{"model.dram_bytes", 4e6, Origin::modelled, "", ""}};
  EXPECT_TRUE(dram_rate(m, CacheState::warm));
  EXPECT_FALSE(dram_rate(m, CacheState::cold));
  m.verdict.outcome = Outcome::wrong;
  EXPECT_FALSE(dram_rate(m, CacheState::warm));
}

TEST(CountedL2Bytes, AreWhatMultiprocessorsAskForElseAllRequests) {
  EXPECT_FALSE(counted_l2_bytes({}));
  std::vector<MetricValue> metrics = {{"l2.bytes", 3e6, Origin::measured, "", ""}};
  EXPECT_DOUBLE_EQ(counted_l2_bytes(metrics)->value, 3e6);
  const std::string all = counted_l2_bytes(metrics)->what;
  metrics.push_back({"l2.sectors_sm", 50e3, Origin::measured, "", ""});
  EXPECT_DOUBLE_EQ(counted_l2_bytes(metrics)->value, 1.6e6);  // 32 bytes each
  EXPECT_NE(counted_l2_bytes(metrics)->what, all);
}

TEST(DerivedMetrics, OfALaunchThatFailsAreItsRegistersAndTheReasonForNoTime) {
  Measurement m;
  m.verdict.outcome = Outcome::launch_failed;
  m.verdict.sentence = "253 registers × 32 lanes = 8 096 per warp";
  m.verdict.remedy = "use block_size = 256";
  StepRecord step;
  step.kind = "kernel";
  step.resources = KernelResources{};
  step.resources->registers_per_thread = 255;
  m.steps = {step};
  derive_metrics(m);
  EXPECT_EQ(value_of(m.metrics, "registers"), 255);
  for (const char* id : {"time.cold", "time.warm", "occupancy.theoretical"}) {
    const MetricValue* value = find_value(m.metrics, id);
    ASSERT_NE(value, nullptr) << id;
    EXPECT_FALSE(value->value) << id;
    EXPECT_EQ(value->reason, m.verdict.sentence) << id;
    EXPECT_EQ(value->remedy, m.verdict.remedy) << id;
  }
}

}  // namespace
}  // namespace warpscope
