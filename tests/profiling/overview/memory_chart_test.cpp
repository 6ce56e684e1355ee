// tests/profiling/overview/memory_chart_test.cpp: bytes each way over every border, and their share
// of the roof.
#include "profiling/overview/memory_chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "profiling/points/point.h"

namespace warpscope {
namespace {

using testing::HasSubstr;

constexpr double kTimeNs = 100e3;

MetricValue counted(const std::string& id, double value) {
  return {id, value, Origin::measured, "", ""};
}

MetricValue emulated(const std::string& id, double value) {
  return {id, value, Origin::modelled, "", ""};
}

// A copy of 64 MB: 2 M sectors each way, without arithmetic and without shared memory.
Measurement copy_of_64_mb() {
  Measurement m;
  m.verdict.outcome = Outcome::correct;
  m.warm.emplace();
  m.warm->median_ns = kTimeNs;
  m.metrics = {counted("dram.bytes_read", 64e6),    counted("dram.bytes_write", 60e6),
               counted("l2.sectors_sm", 4e6),       counted("l2.bytes_to_sm", 64e6),
               counted("l1.sectors_load", 2e6),     counted("l1.sectors_store", 2e6),
               counted("l1.wavefronts", 1e6),       counted("l1.bytes", 128e6),
               counted("shared.wavefronts_lds", 0), counted("shared.wavefronts_sts", 0),
               counted("shared.wavefronts", 0)};
  return m;
}

RoofSet roofs() {
  RoofSet set;
  Roof copy{Level::dram, 2e12, "B/s"};
  copy.mix = {"copy", 0.5};
  set.roofs = {copy, {Level::l2, 4e12, "B/s"}, {Level::l1, 12.8e12, "B/s"}};
  return set;
}

MemoryChart chart_of(const Measurement& m, const std::vector<MetricValue>& beside = {}) {
  const auto standing = stand(m, CacheState::warm, roofs(), Bounds{}, beside);
  return memory_chart({m.metrics, beside}, standing ? &*standing : nullptr, kTimeNs);
}

TEST(MemoryChart, CountsBytesEachWayOverEveryBorder) {
  const MemoryChart chart = chart_of(copy_of_64_mb());
  const ChartBorder &l1 = border_of(chart, Level::l1), &l2 = border_of(chart, Level::l2),
                    &dram = border_of(chart, Level::dram),
                    &shared = border_of(chart, Level::shared);
  EXPECT_EQ(l1.in.bytes, 64e6) << "2 M sectors of 32 bytes";
  EXPECT_EQ(l1.out.bytes, 64e6);
  EXPECT_EQ(l2.in.bytes, 64e6);
  EXPECT_EQ(l2.out.bytes, 64e6) << "L1 sends every stored sector on";
  EXPECT_EQ(dram.in.bytes, 64e6);
  EXPECT_EQ(dram.out.bytes, 60e6);
  EXPECT_EQ(shared.in.bytes, 0.0) << "none is a count, not a gap";
  EXPECT_EQ(chart.most_bytes, 64e6);
}

TEST(MemoryChart, HoldsBothWaysTogetherToTheRoofOfTheLevel) {
  const MemoryChart chart = chart_of(copy_of_64_mb());
  const ChartBorder &l2 = border_of(chart, Level::l2), &dram = border_of(chart, Level::dram);
  // 4 M sectors of 32 bytes in 100 µs are 1.28 TB/s, of 4.
  EXPECT_DOUBLE_EQ(*l2.rate, 1.28e12);
  EXPECT_DOUBLE_EQ(*l2.roof_ratio, 0.32);
  EXPECT_FALSE(l2.binds);
  EXPECT_FALSE(chart.l2_requests) << "as much is sent as is requested";
  EXPECT_FALSE(l2.share_apart);
  // 124 MB in 100 µs are 1.24 TB/s, of 2: there is no arithmetic, and a roof limits it all the
  // same.
  EXPECT_DOUBLE_EQ(*dram.roof_ratio, 0.62);
  EXPECT_TRUE(dram.binds);
  EXPECT_EQ(roof_share_text(dram), "62.00 %");
  EXPECT_EQ(flow_text(dram.out), "60.00 MB");
}

TEST(MemoryChart, AFigureAndItsShareOfARoofBelongTogether) {
  // 8 M wavefronts of 128 bytes pass 1.024 GB, most of it of shared memory: 80 % of 12.8 TB/s.
  Measurement m = copy_of_64_mb();
  set_value(m.metrics, counted("l1.wavefronts", 8e6));
  std::erase_if(m.metrics, [](const MetricValue& v) { return v.id.starts_with("shared."); });
  std::vector<MetricValue> beside = {emulated("emulated.shared.wavefronts_load", 6e6),
                                     emulated("emulated.shared.wavefronts_store", 1e6)};
  MemoryChart chart = chart_of(m, beside);
  ASSERT_TRUE(chart.data_path);
  EXPECT_EQ(chart.data_path->bytes, 1.024e9);
  EXPECT_DOUBLE_EQ(chart.data_path->roof_ratio, 0.8);
  EXPECT_TRUE(chart.data_path->binds);
  EXPECT_THAT(data_path_text(*chart.data_path), HasSubstr("1.02 GB in wavefronts of 128 B, 80.00"));
  // The arrow of L1 has 128 MB, and those are 10 % of the roof.
  EXPECT_DOUBLE_EQ(*border_of(chart, Level::l1).roof_ratio, 0.1);
  EXPECT_EQ(border_of(chart, Level::l1).bytes, 128e6);
  EXPECT_FALSE(border_of(chart, Level::l1).binds);
  EXPECT_TRUE(border_of(chart, Level::l1).share_apart) << "one share of the L1 roof is drawn";
  EXPECT_TRUE(border_of(chart, Level::shared).share_apart);
  EXPECT_DOUBLE_EQ(*border_of(chart, Level::shared).roof_ratio, 0.7);
  // PTX that asks for more than was counted: no more than that goes over the border.
  beside.front().value = 12e6;
  chart = chart_of(m, beside);
  EXPECT_EQ(flow_text(border_of(chart, Level::shared).in), "0 to 896 MB");
  EXPECT_EQ(chart.most_bytes, 896e6);
  // Where sectors hold all that wavefronts pass there is one figure.
  EXPECT_FALSE(chart_of(copy_of_64_mb()).data_path);
}

TEST(MemoryChart, RequestedSectorsStandApartFromBytesThatAreSent) {
  Measurement m = copy_of_64_mb();
  set_value(m.metrics, counted("l2.bytes_to_sm", 80e6));
  const MemoryChart chart = chart_of(m);
  const ChartBorder& l2 = border_of(chart, Level::l2);
  ASSERT_TRUE(chart.l2_requests);
  // 4 M sectors of 32 bytes in 100 µs are 1.28 TB/s, of 4. 80 MB come and 64 MB go.
  EXPECT_EQ(l2_requests_text(*chart.l2_requests),
            "Served by L2: 128.0 MB, 32.00 % of the L2 roof.");
  EXPECT_FALSE(chart.l2_requests->binds);
  EXPECT_TRUE(l2.share_apart);
  EXPECT_EQ(flow_text(l2.in), "80.00 MB");
}

TEST(MemoryChart, SaysWhyABorderHasNoFigure) {
  Measurement m = copy_of_64_mb();
  set_value(m.metrics, {"l2.bytes_to_sm", std::nullopt, Origin::measured,
                        "the driver lets only root read counters", "run the engine as root"});
  std::erase_if(m.metrics, [](const MetricValue& v) { return v.id.starts_with("shared."); });
  const MemoryChart chart = chart_of(m);
  const ChartFlow& in = border_of(chart, Level::l2).in;
  EXPECT_FALSE(in.bytes);
  EXPECT_EQ(flow_text(in), "–");
  EXPECT_EQ(in.reason, "the driver lets only root read counters");
  EXPECT_EQ(in.remedy, "run the engine as root");
  const ChartBorder& shared = border_of(chart, Level::shared);
  EXPECT_FALSE(shared.in.bytes);
  EXPECT_THAT(shared.in.remedy, HasSubstr("full"));
  EXPECT_FALSE(shared.roof_ratio);
  EXPECT_NE(shared.no_ratio, "");
}

TEST(MemoryChart, TakesWhatWasEmulatedWhereNothingWasCounted) {
  const Measurement nothing;
  const std::vector<MetricValue> beside = {emulated("emulated.l1.sectors_load", 2e6),
                                           emulated("emulated.l1.sectors_store", 1e6),
                                           emulated("emulated.l2.unique_sectors", 2e6),
                                           emulated("emulated.l2.asked_sectors", 3e6),
                                           emulated("emulated.shared.wavefronts_load", 1e5),
                                           emulated("emulated.shared.wavefronts_store", 0)};
  const MemoryChart chart =
      memory_chart({nothing.metrics, beside}, nullptr, 0, "not recorded at n=44");
  EXPECT_TRUE(chart.any());
  const ChartBorder &l1 = border_of(chart, Level::l1), &l2 = border_of(chart, Level::l2),
                    &shared = border_of(chart, Level::shared);
  EXPECT_EQ(l1.in.bytes, 64e6);
  EXPECT_EQ(l1.in.origin, Origin::modelled);
  EXPECT_EQ(shared.in.bytes, 12.8e6) << "128 bytes a pass";
  // What L1 has is open: between each distinct sector once and every one that was asked for.
  EXPECT_EQ(l2.in.least, 32e6);
  EXPECT_EQ(l2.in.most, 64e6);
  EXPECT_EQ(flow_text(l2.in), "32 to 64 MB");
  EXPECT_FALSE(border_of(chart, Level::dram).in.bytes);
  EXPECT_EQ(l1.no_ratio, "not recorded at n=44");
}

TEST(MemoryChart, ASampleOfBlocksLeavesAnInterval) {
  const Measurement nothing;
  MetricValue loads = emulated("emulated.l1.sectors_load", 1e6);
  loads.sampled = {64, 4096, 1e5};
  const std::vector<MetricValue> beside = {loads};
  const MemoryChart chart = memory_chart({nothing.metrics, beside}, nullptr, 0);
  EXPECT_EQ(flow_text(border_of(chart, Level::l1).in), "28.8 to 35.2 MB");
}

TEST(MemoryChart, SpilledRegistersCrossTheSameBorder) {
  Measurement m = copy_of_64_mb();
  m.metrics.push_back(counted("local.sectors_load", 1e6));
  const MemoryChart chart = chart_of(m);
  const ChartFlow& in = border_of(chart, Level::l1).in;
  EXPECT_EQ(in.bytes, 96e6);
  EXPECT_THAT(in.of, HasSubstr("local memory"));
}

TEST(MemoryChart, FlagsALevelAboveItsRoof) {
  Measurement m = copy_of_64_mb();
  set_value(m.metrics, counted("l2.sectors_sm", 40e6));
  const MemoryChart chart = chart_of(m);
  EXPECT_THAT(border_of(chart, Level::l2).impossible, HasSubstr("above the L2 roof"));
  EXPECT_EQ(border_of(chart, Level::dram).impossible, "");
}

TEST(MemoryChart, EmulatedBytesBeyondTheRoofHaveNoShareOfIt) {
  Measurement m = copy_of_64_mb();
  std::erase_if(m.metrics, [](const MetricValue& v) { return v.id.starts_with("l1."); });
  // 50 M sectors in 100 µs are 16 TB/s of 12.8.
  const MemoryChart chart = chart_of(
      m, {emulated("emulated.l1.sectors_load", 50e6), emulated("emulated.l1.sectors_store", 0)});
  const ChartBorder& l1 = border_of(chart, Level::l1);
  EXPECT_FALSE(l1.roof_ratio);
  EXPECT_THAT(l1.no_ratio, HasSubstr("125.0 % of the L1 roof, so the device moves fewer"));
}

TEST(MemoryChart, AnIntervalFromNextToNothingBeginsAtZero) {
  ChartFlow flow;
  flow.bytes = flow.most = 8.29e9;
  flow.least = 6.77e6;
  EXPECT_EQ(flow_text(flow), "0 to 8.29 GB");
}

TEST(MemoryChart, ArrowsAreAsWideAsTheirBytesAndNeverVanish) {
  EXPECT_EQ(arrow_width_ratio(50, 100), 0.5);
  EXPECT_EQ(arrow_width_ratio(100, 100), 1);
  EXPECT_EQ(arrow_width_ratio(1, 1e9, 0.06), 0.06);
  EXPECT_EQ(arrow_width_ratio(0, 100), 0);
  EXPECT_EQ(arrow_width_ratio(0, 0), 0);
  EXPECT_EQ(arrow_width_ratio(std::numeric_limits<double>::quiet_NaN(), 100), 0);
}

}  // namespace
}  // namespace warpscope
