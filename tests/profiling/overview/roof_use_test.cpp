// tests/profiling/overview/roof_use_test.cpp: the share of its roof of each level, and which level
// is named.
#include "profiling/overview/roof_use.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpscope {
namespace {

RooflinePoint at(Level level, double bytes, std::optional<double> ceiling) {
  RooflinePoint p;
  p.level = level;
  p.bytes = bytes;
  p.ceiling = ceiling;
  if (ceiling) p.floor_ns = bytes / *ceiling * 1e9;
  return p;
}

TEST(RoofUse, AreBytesOverTheTimeAgainstEachRoof) {
  RooflineStanding standing;
  standing.points = {at(Level::l1, 64e6, 4e12), at(Level::dram, 20e6, 1e12),
                     at(Level::l2, 30e6, std::nullopt)};
  const std::vector<RoofUse> list = roof_uses(standing, 40e3);
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[0].level, Level::dram) << "from the device's memory inwards";
  EXPECT_DOUBLE_EQ(list[0].rate, 0.5e12) << "20 MB in 40 µs";
  EXPECT_DOUBLE_EQ(*list[0].roof_ratio, 0.5);
  EXPECT_DOUBLE_EQ(list[1].rate, 0.75e12);
  EXPECT_FALSE(list[1].roof_ratio) << "no roof of L2 was measured";
  EXPECT_DOUBLE_EQ(*list[2].roof_ratio, 0.4);
  EXPECT_EQ(find_use(list, Level::shared), nullptr);
  EXPECT_EQ(find_use(list, Level::l1), &list[2]);
}

TEST(RoofUse, KeepTheIntervalAndWhatCannotBe) {
  RooflineStanding standing;
  RooflinePoint p = at(Level::l2, 40e6, 1e12);
  p.least_ns = 20e3;
  p.most_ns = 40e3;
  p.impossible = "above the L2 roof";
  p.bytes_origin = Origin::modelled;
  standing.points = {p};
  const std::vector<RoofUse> list = roof_uses(standing, 50e3);
  ASSERT_EQ(list.size(), 1u);
  EXPECT_DOUBLE_EQ(*list[0].least_ratio, 0.4);
  EXPECT_DOUBLE_EQ(*list[0].most_ratio, 0.8);
  EXPECT_EQ(list[0].impossible, "above the L2 roof");
  EXPECT_EQ(list[0].origin, Origin::modelled);
  EXPECT_TRUE(roof_uses(standing, 0).empty()) << "without a time there is no rate";
}

TEST(RoofUse, EmulatedBytesAboveTheRoofHaveNoShareAndAreNotNamed) {
  RooflineStanding standing;
  RooflinePoint shared = at(Level::shared, 130.5e6, 1e12);  // in 100 µs 1.305 of the roof
  shared.roof = "shared roof";
  shared.bytes_origin = Origin::modelled;
  standing.points = {at(Level::l1, 81.86e6, 1e12), shared};
  standing.binding = Level::l1;
  standing.binding_ratio = 0.8186;
  const std::vector<RoofUse> list = roof_uses(standing, 100e3);
  ASSERT_EQ(list.size(), 2u);
  EXPECT_FALSE(list[1].roof_ratio);
  EXPECT_THAT(list[1].no_ratio, testing::HasSubstr("130.5 % of the shared roof"));
  EXPECT_EQ(named_use(list, standing), &list[0]);
  EXPECT_TRUE(list[0].limits);
  EXPECT_FALSE(list[1].limits);
}

TEST(RoofUse, ARoofBelowSixtyPercentIsNearestAndDoesNotLimit) {
  RooflineStanding standing;
  standing.points = {at(Level::dram, 59.6e6, 1e12), at(Level::l2, 30e6, 1e12)};
  standing.binding = Level::dram;
  standing.binding_ratio = 0.596;
  const std::vector<RoofUse> list = roof_uses(standing, 100e3);
  EXPECT_FALSE(list[0].limits);
  EXPECT_EQ(named_use(list, standing), &list[0]);
  standing.binding_ratio = 0.6;
  EXPECT_TRUE(roof_uses(standing, 100e3)[0].limits);
}

TEST(RoofUse, NamesTheLargestKnownShareWhereArithmeticIsNearest) {
  RooflineStanding standing;
  standing.points = {at(Level::dram, 10e6, 1e12), at(Level::l2, 30e6, 1e12)};
  standing.binding = Level::pipe;
  standing.binding_ratio = 0.9;
  const std::vector<RoofUse> list = roof_uses(standing, 100e3);
  EXPECT_EQ(named_use(list, standing)->level, Level::l2);
}

}  // namespace
}  // namespace warpscope
