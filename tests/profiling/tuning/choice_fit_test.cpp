// tests/profiling/tuning/choice_fit_test.cpp: a fitted choice finds what decides, takes no row that
// cannot run, and is judged on points that it has not seen.
#include "profiling/tuning/choice_fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "scenes/host/random.h"
#include "tests/recorded_session.h"

namespace warpscope {
namespace {

using testing::HasSubstr;

ChoiceFeatures features() {
  ChoiceFeatures all;
  for (const char* name : {"n", "m", "noise"}) {
    all.push_back(number_feature(
        name, name, [name](const Workload& w) -> std::optional<double> { return w.fact(name); }));
  }
  ChoiceFeature op;
  op.name = op.label = "op";
  op.text = [](const Workload& w) { return std::optional(w.text("op")); };
  all.push_back(op);
  return all;
}

// Times of a law: "wide" costs n and no start; "narrow" costs half a start and a tenth of n. For
// T, "scatter" is three times as fast, and for NT its output is wrong. "tiles" would be the fastest
// of all, but its constraint forbids it where m is below 500.
std::vector<ChoicePoint> drawn(int count, std::uint64_t seed) {
  const RandomStream stream(seed, 1);
  std::vector<ChoicePoint> points;
  for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(count); ++i) {
    const auto draw = [&](std::uint64_t k) { return stream.uniform(4 * i + k); };
    ChoicePoint point;
    const double n = std::exp(std::log(1000.0) * draw(0)), m = 1000 * draw(1);
    const bool transposed = draw(2) < 0.3;
    point.problem = "point " + std::to_string(i);
    point.workload.axes.set("op", std::string(transposed ? "T" : "NT"));
    point.workload.facts = {{"n", n}, {"m", m}, {"noise", draw(3)}};
    point.ns[{"wide", {}}] = 10 * n;
    point.ns[{"narrow", {{"turns", "1"}}}] = 300 + n;
    if (transposed) {
      point.ns[{"scatter", {}}] = std::min(10 * n, 300 + n) / 3;
    } else {
      point.refused.insert({"scatter", {}});
    }
    if (m >= 500) {
      point.ns[{"tiles", {}}] = n / 2;
    } else {
      point.unusable.insert("tiles");
    }
    point.best_ns = 1e30;
    for (const auto& [row, ns] : point.ns) {
      if (ns < point.best_ns) {
        point.best_ns = ns;
        point.best = row;
      }
    }
    points.push_back(point);
  }
  return points;
}

std::vector<const ChoicePoint*> pointers(const std::vector<ChoicePoint>& points) {
  std::vector<const ChoicePoint*> all;
  for (const ChoicePoint& point : points) all.push_back(&point);
  return all;
}

TEST(ChoiceFit, FindsTheLawOfDrawnTimes) {
  ChoiceTable table;
  table.row = "auto";
  table.points = drawn(120, 7);
  const Result<FittedChoice> fitted = fit_choice(table, features(), {});
  ASSERT_TRUE(fitted) << sentence(fitted.error());
  EXPECT_EQ(fitted->unseen.judged.size(), 120u) << "each point is judged once";
  EXPECT_GT(fitted->unseen.geometric_mean, 0.97);
  // Points of another random seed, which no part of the fit has seen.
  const std::vector<ChoicePoint> others = drawn(200, 8);
  const ChoiceScore score = score_of(fitted->costs, features(), pointers(others));
  EXPECT_EQ(score.unknown, 0);
  EXPECT_GT(score.geometric_mean, 0.97);
  EXPECT_GT(score.within_5, 170);
  // What each row takes, not only which is the shortest. How slow a slow row is is not fitted.
  int compared = 0, near = 0;
  for (const ChoicePoint& point : others) {
    for (const ExpectedTime& expected : expected_times(fitted->costs, features(), point.workload)) {
      const auto found = point.ns.find(expected.row);
      if (found == point.ns.end() || found->second > 3 * point.best_ns) continue;
      ++compared;
      near += std::abs(std::log(expected.ns / found->second)) < 0.7 ? 1 : 0;
    }
  }
  EXPECT_GT(compared, 200);
  EXPECT_GT(near, 0.9 * compared);
}

TEST(ChoiceFit, TakesNoRowThatCannotRunOrWasWrong) {
  const std::vector<ChoicePoint> points = drawn(100, 7), others = drawn(300, 9);
  const CostTable costs = fit_costs("auto", pointers(points), features(), {});
  const ChoiceScore score = score_of(costs, features(), pointers(others));
  EXPECT_EQ(score.refused, 0);
  for (const ChoiceScore::Judged& each : score.judged)
    EXPECT_TRUE(each.point->usable(each.taken)) << each.point->problem;
}

TEST(ChoiceFit, CountsAWrongRowAgainstTheChoice) {
  std::vector<ChoicePoint> points = drawn(100, 7);
  const CostTable costs = fit_costs("auto", pointers(points), features(), {});
  ChoicePoint& last = points.back();
  const ChosenRow taken = score_of(costs, features(), {&last}).judged[0].taken;
  last.ns.erase(taken);
  last.refused.insert(taken);
  const ChoiceScore score = score_of(costs, features(), {&last});
  EXPECT_EQ(score.refused, 1) << "that it is wrong there is not known before it runs";
  EXPECT_EQ(score.known(), 0);
}

TEST(ChoiceFit, GivesNoCostsToARowWithFewTimes) {
  std::vector<ChoicePoint> points = drawn(200, 7);
  const auto has_costs = [&points] {
    const CostTable costs = fit_costs("auto", pointers(points), features(), {});
    return std::any_of(costs.rows.begin(), costs.rows.end(),
                       [](const RowCosts& each) { return each.row.variant == "rare"; });
  };
  for (std::size_t n = 0; n < 9; ++n) points[n].ns[{"rare", {}}] = 1;
  EXPECT_FALSE(has_costs()) << "it can run at 200 points";
  points[9].ns[{"rare", {}}] = 1;
  EXPECT_TRUE(has_costs());
  for (std::size_t n = 5; n < 200; ++n) {
    points[n].ns.erase({"rare", {}});
    points[n].unusable.insert("rare");
  }
  EXPECT_FALSE(has_costs()) << "five times";
}

// A library is never the fastest here, and was measured at fewer points than other rows must be.
TEST(ChoiceFit, GivesCostsToLibrariesThatAreRarelyMeasuredAndNeverTheFastest) {
  const ChosenRow library{"library", {}};
  std::vector<ChoicePoint> points = drawn(200, 7);
  for (std::size_t n = 0; n < 6; ++n) {
    points[n].ns[library] = 20 * points[n].best_ns;
    points[n].libraries.insert(library);
  }
  const auto rows = [&points] {
    std::vector<ChosenRow> all;
    for (const RowCosts& each : fit_costs("auto", pointers(points), features(), {}).rows)
      all.push_back(each.row);
    return all;
  };
  EXPECT_THAT(rows(), testing::Contains(library));
  points[5].ns.erase(library);
  EXPECT_THAT(rows(), testing::Not(testing::Contains(library))) << "five times";
  for (ChoicePoint& point : points) point.ns[library] = 20 * point.best_ns;
  EXPECT_THAT(rows(), testing::Contains(library));
  for (ChoicePoint& point : points) point.libraries.clear();
  EXPECT_THAT(rows(), testing::Not(testing::Contains(library))) << "no library, and no gain";
}

// Where it was not measured, a library counts as fast as where it was. Another row, and a library
// with few times, count as twice the best time.
TEST(ChoiceFit, AssumesNothingOfALibraryThatWasMeasuredOften) {
  const ChosenRow row{"row", {}};
  std::vector<ChoicePoint> points = drawn(200, 7);
  const auto mean_cost = [&points, &row](std::size_t measured, bool library) {
    for (std::size_t n = 0; n < points.size(); ++n) {
      points[n].ns.erase(row);
      points[n].libraries.clear();
      if (n >= measured) continue;
      points[n].ns[row] = 0.9 * points[n].best_ns;
      if (library) points[n].libraries.insert(row);
    }
    for (const RowCosts& each : fit_costs("auto", pointers(points), features(), {}).rows)
      if (each.row == row) return cost_of_scaled(each.mean);
    return -1.0;
  };
  EXPECT_LT(mean_cost(10, true), 0);
  EXPECT_GT(mean_cost(9, true), 0.5) << "less than a twentieth";
  EXPECT_GT(mean_cost(10, false), 0.5);
}

// A row that is the best at small sizes and was not measured at large ones is not taken there.
TEST(ChoiceFit, DoesNotExtrapolateToWhereARowWasLeftOut) {
  std::vector<ChoicePoint> points = drawn(80, 7);
  for (ChoicePoint& point : points) {
    const double n = point.workload.facts.at("n");
    if (n < 30) {
      point.ns[{"small", {}}] = point.best_ns = n / 4;
      point.best = {"small", {}};
    }
  }
  const CostTable costs = fit_costs("auto", pointers(points), features(), {});
  const std::vector<ChoicePoint> others =
      drawn(80, 9);  // at a point of the fit, nothing is guessed
  int small = 0, small_at_large = 0;
  for (const ChoiceScore::Judged& each : score_of(costs, features(), pointers(others)).judged) {
    const double n = each.point->workload.facts.at("n");
    const int taken = each.taken.variant == "small" ? 1 : 0;
    small += taken;
    small_at_large += n > 100 ? taken : 0;
  }
  EXPECT_GT(small, 10);
  EXPECT_LE(small_at_large, 2);
}

// Which of two rows is twice as fast is drawn: no fit can know it at a point that it has not seen.
TEST(ChoiceFit, JudgesEachPointWithoutHavingSeenIt) {
  ChoiceTable table;
  table.row = "auto";
  table.points = drawn(80, 7);
  const RandomStream stream(3, 2);
  for (std::size_t n = 0; n < table.points.size(); ++n) {
    ChoicePoint& point = table.points[n];
    const bool first = stream.uniform(n) < 0.5;
    point.ns = {{{"a", {}}, first ? 100.0 : 200.0}, {{"b", {}}, first ? 200.0 : 100.0}};
    point.best = {first ? "a" : "b", {}};
    point.best_ns = 100;
    point.refused.clear();
    point.unusable.clear();
  }
  const Result<FittedChoice> fitted = fit_choice(table, features(), {});
  ASSERT_TRUE(fitted) << sentence(fitted.error());
  EXPECT_EQ(fitted->seen.geometric_mean, 1);
  EXPECT_LT(fitted->unseen.geometric_mean, 0.85);
  EXPECT_EQ(fitted->unseen.worst, 0.5);
}

TEST(ChoiceFit, RefusesTooFewPoints) {
  ChoiceTable table;
  table.row = "auto";
  table.points = drawn(19, 7);
  const auto fitted = fit_choice(table, features(), {});
  ASSERT_FALSE(fitted);
  EXPECT_THAT(sentence(fitted.error()), HasSubstr("19 configurations"));
}

TEST(ChoiceScore, IsWhatThePointsSay) {
  std::vector<ChoicePoint> points = drawn(4, 7);
  const double slower[] = {1.0, 1.04, 1.25, 0};
  for (std::size_t i = 0; i < 4; ++i) {
    points[i].ns = {{{"best", {}}, 100.0}};
    if (slower[i] > 0) points[i].ns[{"taken", {}}] = 100 * slower[i];
    points[i].best_ns = 100;
    points[i].refused.clear();
    points[i].unusable.clear();
  }
  CostTable costs;
  costs.rows.resize(1);
  costs.rows[0].row = {"taken", {}};
  const ChoiceScore score = score_of(costs, features(), pointers(points));
  EXPECT_EQ(score.unknown, 1) << "the taken row has no time at the last point";
  EXPECT_EQ(score.within_3, 1);
  EXPECT_EQ(score.within_5, 2);
  EXPECT_DOUBLE_EQ(score.worst, 0.8);
  EXPECT_NEAR(score.geometric_mean, std::cbrt(1.0 * (1 / 1.04) * 0.8), 1e-12);
}

// By expected time: a, b, c. The fastest is c, then b.
TEST(ChoiceScore, TakesTheFastestOfTheRowsThatAreTimed) {
  CostTable table;
  table.row = "auto";
  table.features = {{"n", ""}};
  table.rows = {{{"a", {}}, 0.1, {}}, {{"b", {}}, 0.2, {}}, {{"c", {}}, 0.3, {}}};
  ChoicePoint point = drawn(1, 7).front();
  point.ns = {{{"a", {}}, 200}, {{"b", {}}, 125}, {{"c", {}}, 100}};
  point.best = {"c", {}};
  point.best_ns = 100;
  const auto ratio = [&](std::size_t timed) {
    const ChoiceScore score = score_of(table, features(), {&point}, timed);
    return score.judged[0].ratio.value_or(0);
  };
  EXPECT_EQ(ratio(1), 0.5);
  EXPECT_EQ(ratio(2), 0.8);
  EXPECT_EQ(ratio(3), 1);
  EXPECT_EQ(ratio(9), 1);
  point.unusable.insert("c");
  EXPECT_EQ(ratio(9), 0.8) << "what cannot run is not timed";
  point.ns.erase({"a", {}});
  point.refused.insert({"a", {}});
  EXPECT_EQ(ratio(2), 0.8) << "what is wrong is left out";
  point.unusable.clear();
  table.points = {{place_of(feature_values(table, features(), point.workload)), {"b", {}}, 125}};
  EXPECT_EQ(ratio(9), 0.8) << "at a point of the table nothing is timed";
}

TEST(ChoiceTableTest, HasThePointsOfARecordedSession) {
  const Result<SessionReading> read = read_session(recorded_session("csrmm"));
  ASSERT_TRUE(read) << sentence(read.error());
  const ChoiceScene& about = **find_choice_scene("csrmm");
  const Scene* scene = nullptr;
  for (const Scene& each : built_in_scenes()) {
    if (each.name == "csrmm") scene = &each;
  }
  ASSERT_NE(scene, nullptr);
  const ChoiceTable table = choice_table(read->session, *scene, about, "auto");
  EXPECT_GT(table.points.size(), 20u);
  EXPECT_EQ(table.device, "NVIDIA H200");
  for (const ChoicePoint& point : table.points) {
    EXPECT_GT(point.ns.size(), 1u) << point.problem;
    for (const auto& [row, ns] : point.ns) {
      EXPECT_GE(ns, point.best_ns);
      EXPECT_NE(row.variant, "auto");
      EXPECT_TRUE(point.usable(row)) << row.variant << " at " << point.problem;
      const bool named_so = row.variant.starts_with("cu");  // cublas_…, cusparse_…
      EXPECT_EQ(point.libraries.count(row) != 0, named_so) << row.variant;
    }
  }
}

}  // namespace
}  // namespace warpscope
