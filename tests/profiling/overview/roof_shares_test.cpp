// tests/profiling/overview/roof_shares_test.cpp: shares of the memory roof and of the arithmetic
// roof.
#include "profiling/overview/roof_shares.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpscope {
namespace {

using testing::HasSubstr;

RoofSet roofs() {
  RoofSet set;
  Roof copy{Level::dram, 2e12, "B/s"};
  copy.mix = {"copy", 0.5};
  Roof pipe{Level::pipe, 50e12, "FLOP/s"};
  set.roofs = {copy, {Level::l2, 4e12, "B/s"}, pipe};
  return set;
}

// 100 MB of DRAM, 300 MB of L2 and 1 GFLOP in 100 µs.
Measurement point() {
  Measurement m;
  m.verdict.outcome = Outcome::correct;
  m.warm.emplace();
  m.warm->median_ns = 100e3;
  m.metrics = {{"dram.bytes_read", 50e6},
               {"dram.bytes_write", 50e6},
               {"l2.sectors_sm", 300e6 / 32},
               {"model.flops", 1e9}};
  return m;
}

TEST(RoofShares, AreOfTheNearestLevelAndOfThePipe) {
  const Measurement m = point();
  const auto standing = stand(m, CacheState::warm, roofs(), Bounds{});
  const auto shares = roof_shares(m, CacheState::warm, &*standing, roofs());
  ASSERT_EQ(shares.size(), 3u);
  EXPECT_EQ(shares[0].value.id, "roof.memory");
  EXPECT_DOUBLE_EQ(*shares[0].value.value, 0.75) << "3 of 4 TB/s of L2, 1 of 2 of DRAM";
  EXPECT_EQ(shares[0].label, "memory, of the L2 roof");
  EXPECT_DOUBLE_EQ(*shares[1].value.value, 0.2) << "10 of 50 TFLOP/s";
  EXPECT_THAT(shares[1].label, HasSubstr("compute, of the "));
  EXPECT_THAT(shares[2].value.reason, HasSubstr("instructions were not counted"));
}

TEST(RoofShares, SayWhyOneIsMissing) {
  Measurement m = point();
  set_value(m.metrics, {"model.flops", std::nullopt, Origin::modelled, "", ""});
  const RoofSet none;
  const auto standing = stand(m, CacheState::warm, none, Bounds{});
  auto shares = roof_shares(m, CacheState::warm, &*standing, none);
  EXPECT_FALSE(shares[0].value.value);
  EXPECT_THAT(shares[0].value.remedy, HasSubstr("roofs"));
  EXPECT_THAT(shares[1].value.reason, HasSubstr("does not count its arithmetic"));
  shares = roof_shares(m, CacheState::cold, nullptr, none, "no cold samples");
  EXPECT_EQ(shares[0].value.reason, "no cold samples");
  EXPECT_EQ(shares[1].value.reason, "no cold samples");
}

TEST(RoofShares, WorkWithoutArithmeticUsesNoneOfThePipe) {
  Measurement m = point();
  set_value(m.metrics, {"model.flops", 0.0, Origin::modelled, "", ""});
  const auto standing = stand(m, CacheState::warm, roofs(), Bounds{});
  EXPECT_EQ(roof_shares(m, CacheState::warm, &*standing, roofs())[1].value.value, 0.0);
}

TEST(RoofShares, OfABaselineAreOfTheSameLevel) {
  const Measurement m = point();
  const auto standing = stand(m, CacheState::warm, roofs(), Bounds{});
  auto at = [&](Level level) {
    return roof_shares(m, CacheState::warm, &*standing, roofs(), "", level).front();
  };
  EXPECT_DOUBLE_EQ(*at(Level::dram).value.value, 0.5) << "1 of 2 TB/s, though L2 is nearer";
  EXPECT_DOUBLE_EQ(*at(Level::l2).value.value, 0.75);
  EXPECT_FALSE(at(Level::l1).value.value);
  EXPECT_EQ(at(Level::l1).label, "memory, of the L1 roof");
}

TEST(RoofShares, NameInstructionIssueWhereItLimits) {
  RoofSet set = roofs();
  set.roofs.push_back({Level::issue, 1e12, "1/s"});
  Measurement m = point();
  m.metrics.push_back({"inst.executed", 90e6});
  m.metrics.push_back({"l1.bytes", 300e6});
  const auto standing = stand(m, CacheState::warm, set, Bounds{});
  ASSERT_TRUE(standing);
  const auto shares = roof_shares(m, CacheState::warm, &*standing, set);
  EXPECT_DOUBLE_EQ(*shares[2].value.value, 0.9) << "90 M instructions in 100 µs";
  EXPECT_THAT(shares[2].sentence, HasSubstr("limits the variant"));
  EXPECT_DOUBLE_EQ(*shares[0].value.value, 0.75);
  EXPECT_THAT(shares[0].sentence, testing::Not(HasSubstr("limits the variant")));
}

}  // namespace
}  // namespace warpscope
