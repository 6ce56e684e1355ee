// tests/profiling/overview/winner_map_test.cpp: who is best at each place of two axes, and by how
// much.
#include "profiling/overview/winner_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace warpscope {
namespace {

using testing::ElementsAre;

const Axis& columns() {
  static const Axis axis =
      whole_axis("n", "columns", "columns", "", AxisScale::log, Binding::argument, 1, 4096, 32);
  return axis;
}
const Axis& form() {
  static const Axis axis = [] {
    Axis choice;
    choice.name = "op";
    choice.kind = AxisKind::choice;
    choice.choices = {"NT", "T"};
    return choice;
  }();
  return axis;
}

// A point whose times are these samples, so that its noise is known.
Measurement timed(double warm_ns, double spread_ns) {
  Measurement point;
  point.verdict.outcome = Outcome::correct;
  Timing timing;
  timing.cache = CacheState::warm;
  for (int i = 0; i < 64; ++i)
    timing.samples_ns.push_back(warm_ns + spread_ns * ((i % 8) - 3.5) / 3.5);
  summarise(timing);
  point.warm = timing;
  set_value(point.metrics, {"time.warm", warm_ns, Origin::measured, "", ""});
  return point;
}

struct Placed {
  std::int64_t n;
  const char* op;
  std::size_t variant;
  const Measurement* point;
};
std::vector<PlacedFigure> placed(const std::vector<Placed>& rows) {
  std::vector<PlacedFigure> figures;
  for (const Placed& row : rows) {
    figures.push_back({AxisValue(row.n), AxisValue(std::string(row.op)), row.variant, row.point,
                       *value_of(row.point->metrics, "time.warm")});
  }
  return figures;
}

TEST(WinnerMaps, HaveEveryPlaceInTheOrderOfItsAxes) {
  const Measurement point = timed(1000, 1);
  // "T" sorts after "NT" by its axis, and 9 before 128 as numbers.
  const WinnerMap map =
      winner_map(*find_metric("time.warm"), columns(), form(),
                 placed({{128, "T", 0, &point}, {9, "NT", 0, &point}, {9, "T", 0, &point}}));
  EXPECT_THAT(map.xs, ElementsAre(AxisValue(std::int64_t{9}), AxisValue(std::int64_t{128})));
  EXPECT_THAT(map.ys, ElementsAre(AxisValue(std::string("NT")), AxisValue(std::string("T"))));
  ASSERT_EQ(map.cells.size(), 4u);
  EXPECT_TRUE(map.at(1, 0).empty()) << "n = 128 with NT was not measured";
  EXPECT_TRUE(map.at(0, 0).alone());
}

TEST(WinnerMaps, NameTheBestAndByHowMuchTheSecondIsWorse) {
  const Measurement fast = timed(1000, 1), middle = timed(1250, 1), slow = timed(4000, 1);
  const WinnerMap map =
      winner_map(*find_metric("time.warm"), columns(), form(),
                 placed({{32, "NT", 0, &slow}, {32, "NT", 1, &fast}, {32, "NT", 2, &middle}}));
  const WinnerMap::Cell& cell = map.at(0, 0);
  ASSERT_EQ(cell.figures.size(), 3u);
  EXPECT_EQ(cell.figures[0].variant, 1u);
  EXPECT_EQ(cell.figures[1].variant, 2u);
  EXPECT_DOUBLE_EQ(cell.ratio, 1.25);
  EXPECT_TRUE(cell.decided());
  EXPECT_EQ(map.won_by(1), 1u);
  EXPECT_EQ(map.won_by(2), 0u);
}

TEST(WinnerMaps, HaveNoWinnerWithinTheNoise) {
  const Measurement one = timed(1000, 100), other = timed(1001, 100);
  const WinnerMap map = winner_map(*find_metric("time.warm"), columns(), form(),
                                   placed({{32, "NT", 0, &one}, {32, "NT", 1, &other}}));
  EXPECT_EQ(map.at(0, 0).significance, Significance::noise);
  EXPECT_EQ(map.won_by(0), 0u);
  EXPECT_DOUBLE_EQ(map.at(0, 0).ratio, 1.001);
}

TEST(WinnerMaps, FollowTheBetterSideOfTheMetric) {
  const Measurement point = timed(1000, 1);
  const AxisValue n = std::int64_t{32}, op = std::string("NT");
  const std::vector<PlacedFigure> figures = {{n, op, 0, &point, 10}, {n, op, 1, &point, 40}};
  const auto best = [&](Better better) {
    Metric metric;
    metric.id = "sectors";
    metric.better = better;
    const WinnerMap map = winner_map(metric, columns(), form(), figures);
    return map.cells.empty() ? std::string("none")
                             : std::to_string(map.cells[0].figures[0].variant);
  };
  EXPECT_EQ(best(Better::lower), "0");
  EXPECT_EQ(best(Better::higher), "1");
  EXPECT_EQ(best(Better::neither), "none");
}

TEST(WinnerMaps, KeepTheLastFigureOfAVariant) {
  const Measurement older = timed(1000, 1), newer = timed(3000, 1), other = timed(2000, 1);
  const WinnerMap map =
      winner_map(*find_metric("time.warm"), columns(), form(),
                 placed({{32, "NT", 0, &older}, {32, "NT", 1, &other}, {32, "NT", 0, &newer}}));
  ASSERT_EQ(map.at(0, 0).figures.size(), 2u);
  EXPECT_EQ(map.at(0, 0).figures[0].variant, 1u);
  EXPECT_DOUBLE_EQ(map.at(0, 0).ratio, 1.5);
}

TEST(WinnerMaps, HaveNoRatioToZero) {
  const Measurement point = timed(1000, 1);
  const AxisValue n = std::int64_t{32}, op = std::string("NT");
  const WinnerMap map = winner_map(*find_metric("time.warm"), columns(), form(),
                                   {{n, op, 0, &point, 0}, {n, op, 1, &point, 40}});
  EXPECT_EQ(map.at(0, 0).ratio, 0);
}

TEST(RatioTexts, AreShort) {
  EXPECT_EQ(ratio_text(1.254), "1.25×");
  EXPECT_EQ(ratio_text(12.6), "13×");
}

}  // namespace
}  // namespace warpscope
