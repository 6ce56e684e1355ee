// tests/profiling/plans/device_table_test.cpp: times of several cards beside each other, each below
// its own roofs.
#include "profiling/plans/device_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiling/figures/csv_text.h"
#include "scenes/catalogue.h"

namespace warpscope {
namespace {

using testing::HasSubstr;

Conditions on(const std::string& card) {
  Conditions c;
  c.device = card == "GPU-a" ? "NVIDIA H200" : "NVIDIA H100";
  c.device_uuid = card;
  c.toolkit = "13.0";
  c.date = "2026-11-21T09:00:00Z";
  return c;
}

Timing around(CacheState cache, double ns) {
  Timing timing{cache};
  for (int i = 0; i < 21; ++i) timing.samples_ns.push_back(ns * (1 + 0.001 * (i - 10)));
  summarise(timing);
  return timing;
}

// 100 MB of DRAM, 700 MB of L2 and 1100 MB of L1, all counted.
Measurement point(const std::string& card, const std::string& variant, double warm_ns,
                  std::int64_t n = 128) {
  const Scene& scene = *built_in_catalogue().find("csrmm").value();
  Measurement m;
  m.scene = "csrmm";
  m.variant = variant;
  m.axes = default_configuration(scene.axes);
  m.axes.set("n", n);
  m.axes = for_variant(scene.axes, m.axes, variant);
  m.key = configuration_key(scene.axes, m.axes, variant);
  m.problem = "n=" + std::to_string(n);
  m.verdict = {Outcome::correct, "largest error 0.1 of the bound"};
  m.cold = around(CacheState::cold, 2 * warm_ns);
  m.warm = around(CacheState::warm, warm_ns);
  m.counters = "standard";
  for (const auto& [id, value] :
       {std::pair("dram.bytes_read", 90e6), std::pair("dram.bytes_write", 10e6),
        std::pair("l2.bytes", 700e6), std::pair("l1.wavefronts", 1100e6 / 128)})
    m.metrics.push_back({id, value, Origin::measured, "", ""});
  m.metrics.push_back({"model.flops", 512e6, Origin::modelled, "", ""});
  m.conditions = on(card);
  return m;
}

Measurement refused(const std::string& card, const std::string& variant) {
  Measurement m = point(card, variant, 1);
  m.verdict = {Outcome::cannot_run, "needs 96 KiB of shared memory per block"};
  m.cold.reset();
  m.warm.reset();
  return m;
}

RoofSet roofs(const std::string& card, double l2) {
  RoofSet set;
  Roof read{Level::dram, 4.6e12, "B/s", "synthetic"}, copy{Level::dram, 4.2e12, "B/s", "synthetic"};
  read.mix = {"read", 0, 0};
  copy.mix = {"copy", 0.5, 0};
  Roof pipe{Level::pipe, 60e12, "FLOP/s", "synthetic"};
  set.roofs = {read,
               copy,
               {Level::l2, l2, "B/s", "synthetic"},
               {Level::l1, 30e12, "B/s", "synthetic"},
               pipe};
  set.conditions = on(card);
  return set;
}

Session two_cards() {
  Session session;
  // 700 MB at 8 TB/s are 87.5 µs, and at 5 TB/s 140 µs.
  session.apply(roofs("GPU-a", 8e12));
  session.apply(roofs("GPU-b", 5e12));
  session.apply(point("GPU-a", "float4_columns", 125e3));
  session.apply(point("GPU-b", "float4_columns", 175e3));
  session.apply(point("GPU-a", "float4_columns", 100e3, 256));
  session.apply(point("GPU-b", "float4_columns", 200e3, 256));
  session.apply(point("GPU-a", "row_split", 200e3));
  session.apply(refused("GPU-b", "row_split"));
  session.apply(point("GPU-b", "row_cache", 300e3));
  return session;
}

const DeviceRow& row_of(const DeviceTable& table, const std::string& variant,
                        const std::string& problem = "n=128") {
  for (const DeviceRow& row : table.rows) {
    if (row.variant == variant && row.problem == problem) return row;
  }
  ADD_FAILURE() << variant;
  return table.rows.front();
}

TEST(DeviceTables, GiveEachCardTheShareOfItsOwnRoofs) {
  const Session session = two_cards();
  const DeviceTable table = device_table(session, CacheState::warm);
  ASSERT_EQ(table.devices.size(), 2u);
  const DeviceRow& row = row_of(table, "float4_columns");
  ASSERT_EQ(row.figures.size(), 2u);
  EXPECT_NEAR(*row.figures[0].time_ns, 125e3, 1);
  EXPECT_NEAR(*row.figures[0].roof.ratio, 87.5 / 125, 1e-3);
  EXPECT_NEAR(*row.figures[1].roof.ratio, 140.0 / 175, 1e-3) << "below the roof of card B";
  EXPECT_TRUE(row.figures[1].roof.limits);
  EXPECT_EQ(row.figures[1].roof.name, "L2");
  EXPECT_NEAR(row.figures[1].to_first, 1.4, 1e-3);
  EXPECT_EQ(to_text(row.figures[0].roof), "70.00 % L2");
}

TEST(DeviceTables, SayWhyACardHasNoTime) {
  const Session session = two_cards();
  const DeviceTable table = device_table(session, CacheState::warm);
  const DeviceRow& refused = row_of(table, "row_split");
  EXPECT_FALSE(refused.figures[1].time_ns);
  EXPECT_EQ(refused.figures[1].why, "cannot run: needs 96 KiB of shared memory per block");
  EXPECT_EQ(to_text(refused.figures[1].roof), "–");
  const DeviceRow& missing = row_of(table, "row_cache");
  EXPECT_EQ(missing.figures[0].point, nullptr);
  EXPECT_EQ(missing.figures[0].why, "not measured on this device");
  EXPECT_EQ(missing.figures[1].to_first, 1) << "the first card that has a time";
}

TEST(DeviceTables, TakeTheTimesThatAreAskedFor) {
  const Session session = two_cards();
  const DeviceRow& row = row_of(device_table(session, CacheState::cold), "float4_columns");
  EXPECT_NEAR(*row.figures[1].time_ns, 350e3, 1);
  const DeviceTable warm = device_table(session, CacheState::warm);
  const DeviceRow one = device_row(session, warm.devices, "csrmm", "float4_columns",
                                   row_of(warm, "float4_columns").key, CacheState::warm);
  EXPECT_NEAR(*one.figures[1].time_ns, 175e3, 1);
  EXPECT_NEAR(one.figures[1].to_first, 1.4, 1e-3);
}

TEST(DeviceTables, SumUpAVariantOverItsConfigurations) {
  const Session session = two_cards();
  const std::vector<DeviceSummary> list = summaries(device_table(session, CacheState::warm));
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[0].variant, "float4_columns");
  EXPECT_EQ(list[0].configurations, 2u);
  EXPECT_EQ(list[0].cells[1].times, 2u);
  EXPECT_NEAR(*list[0].cells[1].ratio, 1.7, 1e-3) << "between 1.4 and 2.0";
  EXPECT_NEAR(*list[0].cells[1].low_ratio, 1.43, 1e-3);
  EXPECT_NEAR(*list[0].cells[1].high_ratio, 1.97, 1e-3);
  EXPECT_NEAR(*list[0].cells[0].roof_ratio, (0.7 + 0.875) / 2, 1e-3);
  EXPECT_FALSE(list[0].cells[0].at_least);
  EXPECT_EQ(list[1].cells[1].times, 0u);
  EXPECT_THAT(list[1].cells[1].why, HasSubstr("96 KiB"));
  EXPECT_FALSE(list[2].cells[1].ratio) << "the first card has no time to compare with";
}

TEST(DeviceTables, NameTheNearestKnownRoofWithoutCounters) {
  Session session;
  session.apply(roofs("GPU-a", 8e12));
  Measurement bare = point("GPU-a", "float4_columns", 100e3);
  bare.metrics = {{"model.dram_bytes", 100e6, Origin::modelled, "", ""},
                  {"model.flops", 512e6, Origin::modelled, "", ""}};
  session.apply(bare);
  const DeviceTable table = device_table(session, CacheState::warm);
  const LimitingRoof& roof = table.rows.at(0).figures.at(0).roof;
  EXPECT_FALSE(roof.limits);
  EXPECT_FALSE(roof.why.empty());
  ASSERT_TRUE(roof.ratio);
  EXPECT_EQ(roof.name, "DRAM");
  EXPECT_NEAR(*roof.ratio, 100e6 / 4.6e12 / 100e-6, 1e-6) << "the least bytes at the best mix";
  EXPECT_THAT(to_text(roof), testing::StartsWith("≥ "));
  Session none;
  none.apply(bare);
  const DeviceTable without = device_table(none, CacheState::warm);
  EXPECT_THAT(without.rows.at(0).figures.at(0).roof.why, HasSubstr("warpscope roofs"));
}

TEST(DeviceTables, BorrowNoRoofs) {
  Session session;
  RoofSet old = roofs("GPU-a", 8e12);
  old.roofs.erase(old.roofs.begin());  // before DRAM had a family of roofs, cards could borrow
  old.conditions.device_uuid = "GPU-c";
  session.apply(old);
  session.apply(point("GPU-a", "float4_columns", 125e3));
  ASSERT_TRUE(limiting_roof(session, *session.newest_points().at(0), CacheState::warm).ratio);
  const DeviceTable table = device_table(session, CacheState::warm);
  const LimitingRoof& roof = table.rows.at(0).figures.at(0).roof;
  EXPECT_FALSE(roof.ratio);
  EXPECT_THAT(roof.why, HasSubstr("roofs borrowed from another NVIDIA H200"));
}

TEST(DeviceTables, WriteARowPerCardAsCsv) {
  const Session session = two_cards();
  const auto csv =
      parse_csv(devices_csv(device_table(session, CacheState::warm), CacheState::warm));
  ASSERT_TRUE(csv);
  ASSERT_EQ(csv->size(), 1u + 4 * 2);
  const std::vector<std::string>& head = csv->at(0);
  const auto cell = [&](std::size_t row, const std::string& name) {
    const auto column = std::find(head.begin(), head.end(), name);
    EXPECT_NE(column, head.end()) << name;
    return column == head.end() ? ""
                                : csv->at(row).at(static_cast<std::size_t>(column - head.begin()));
  };
  EXPECT_EQ(cell(2, "device"), "NVIDIA H100");
  EXPECT_NEAR(std::stod(cell(2, "warm [ns]")), 175e3, 1);
  EXPECT_NEAR(std::stod(cell(2, "of its own roof [ratio]")), 0.8, 1e-3);
  EXPECT_EQ(cell(2, "roof"), "L2");
  EXPECT_EQ(cell(2, "it limits"), "yes");
  EXPECT_EQ(cell(6, "verdict"), "cannot run");
  EXPECT_EQ(cell(6, "warm [ns]"), "");
  EXPECT_THAT(cell(6, "why"), HasSubstr("96 KiB"));
}

}  // namespace
}  // namespace warpscope
