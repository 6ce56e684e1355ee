// tests/profiling/overview/bandwidths_test.cpp: bytes a second by level, without arithmetic.
#include "profiling/overview/bandwidths.h"

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

TEST(Bandwidths, AreBytesOverTheTimeAgainstEachRoof) {
  RooflineStanding standing;
  standing.points = {at(Level::l1, 64e6, 4e12), at(Level::dram, 20e6, 1e12),
                     at(Level::l2, 30e6, std::nullopt)};
  const std::vector<Bandwidth> list = bandwidths(standing, 40e3);
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[0].level, Level::dram) << "from the device's memory inwards";
  EXPECT_DOUBLE_EQ(list[0].rate, 0.5e12) << "20 MB in 40 µs";
  EXPECT_DOUBLE_EQ(*list[0].roof_ratio, 0.5);
  EXPECT_DOUBLE_EQ(list[1].rate, 0.75e12);
  EXPECT_FALSE(list[1].roof_ratio) << "no roof of L2 was measured";
  EXPECT_DOUBLE_EQ(*list[2].roof_ratio, 0.4);
  EXPECT_EQ(find_bandwidth(list, Level::shared), nullptr);
  EXPECT_EQ(find_bandwidth(list, Level::l1), &list[2]);
}

TEST(Bandwidths, KeepTheIntervalAndWhatCannotBe) {
  RooflineStanding standing;
  RooflinePoint p = at(Level::l2, 40e6, 1e12);
  p.least_ns = 20e3;
  p.most_ns = 40e3;
  p.impossible = "above the L2 roof";
  p.bytes_origin = Origin::modelled;
  standing.points = {p};
  const std::vector<Bandwidth> list = bandwidths(standing, 50e3);
  ASSERT_EQ(list.size(), 1u);
  EXPECT_DOUBLE_EQ(*list[0].least_ratio, 0.4);
  EXPECT_DOUBLE_EQ(*list[0].most_ratio, 0.8);
  EXPECT_EQ(list[0].impossible, "above the L2 roof");
  EXPECT_EQ(list[0].origin, Origin::modelled);
  EXPECT_TRUE(bandwidths(standing, 0).empty()) << "without a time there is no rate";
}

}  // namespace
}  // namespace warpscope
