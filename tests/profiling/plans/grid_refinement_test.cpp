// tests/profiling/plans/grid_refinement_test.cpp: where the winner changes, a value in the middle
// is measured next.
#include "profiling/plans/grid_refinement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

#include "scenes/catalogue.h"

namespace warpscope {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

const Scene& scene() { return *built_in_catalogue().find("csrmm").value(); }

// Points of csrmm over n and p, timed with little noise.
class Points {
 public:
  Measurement& add(const std::string& variant, std::int64_t n, double p, double warm_ns,
                   const std::string& card = "GPU-a") {
    Measurement m;
    m.scene = "csrmm";
    m.variant = variant;
    m.axes = default_configuration(scene().axes);
    m.axes.set("n", n);
    m.axes.set("p", p);
    m.axes = for_variant(scene().axes, m.axes, variant);
    m.key = configuration_key(scene().axes, m.axes, variant);
    m.problem = problem_key(scene().axes, m.axes);
    m.verdict.outcome = Outcome::correct;
    m.warm = Timing{CacheState::warm};
    m.warm->sm_clock_mhz = 1980;
    for (int i = 0; i < 41; ++i) m.warm->samples_ns.push_back(warm_ns * (1 + 1e-4 * (i - 20)));
    summarise(*m.warm);
    m.conditions.device = "NVIDIA H200";
    m.conditions.device_uuid = card;
    m.conditions.toolkit = "13.0";
    all_.push_back(m);
    return all_.back();
  }
  // Both variants, of which the first one is faster by this factor.
  void two(std::int64_t n, double p, double factor, const std::string& card = "GPU-a") {
    add("row_split", n, p, 100e3, card);
    add("float4_columns", n, p, 100e3 * factor, card);
  }
  GridRefinement refined() const {
    std::vector<const Measurement*> points;
    for (const Measurement& point : all_) points.push_back(&point);
    return refine_grid(points, scene());
  }

 private:
  std::deque<Measurement> all_;
};

TEST(GridRefinements, TakeTheMiddleOnTheAxissOwnScale) {
  Points points;
  points.two(64, 0.01, 0.5);  // float4_columns wins
  points.two(64, 0.04, 2);    // row_split wins
  points.two(64, 0.1, 2);     // and here
  const GridRefinement made = points.refined();
  ASSERT_EQ(made.changes.size(), 1u);
  EXPECT_EQ(made.changes[0].axis, "p");
  EXPECT_EQ(made.changes[0].winner_low, "float4_columns");
  EXPECT_EQ(made.changes[0].winner_high, "row_split");
  ASSERT_EQ(made.places.size(), 1u);
  EXPECT_DOUBLE_EQ(made.places[0].real("p"), 0.02) << "the geometric mean of 0.01 and 0.04";
  EXPECT_EQ(made.places[0].integer("n"), 64);
  EXPECT_THAT(made.variants, UnorderedElementsAre("row_split", "float4_columns"));
  EXPECT_EQ(made.points, 6u);
}

TEST(GridRefinements, LookAlongEachAxisAndCountAPlaceOnce) {
  Points points;
  // float4_columns wins at one corner of a square.
  points.two(16, 0.01, 0.5);
  points.two(64, 0.01, 2);
  points.two(16, 0.04, 2);
  points.two(64, 0.04, 2);
  // Another card has the same winners.
  points.two(16, 0.01, 0.5, "GPU-b");
  points.two(64, 0.01, 2, "GPU-b");
  const GridRefinement made = points.refined();
  std::vector<std::string> places;
  for (const Configuration& place : made.places)
    places.push_back(std::to_string(place.integer("n")) + " " + to_text(place.at("p")));
  EXPECT_THAT(places, UnorderedElementsAre("32 0.01", "16 0.02"));
  ASSERT_EQ(made.changes.size(), 3u) << "that along n is on both cards";
  for (const WinnerChange& change : made.changes) {
    EXPECT_EQ(change.elsewhere, "") << "all begin at the same corner";
  }
}

TEST(GridRefinements, AddNothingWhereNobodyWinsOrOneAloneRan) {
  Points points;
  points.two(64, 0.01, 0.5);
  points.two(64, 0.04, 1);                  // within the noise
  points.add("row_split", 64, 0.1, 100e3);  // alone
  EXPECT_TRUE(points.refined().changes.empty());
  // A variant that cannot run there has lost.
  Measurement& refused = points.add("float4_columns", 64, 0.1, 1);
  refused.verdict.outcome = Outcome::cannot_run;
  refused.warm.reset();
  EXPECT_TRUE(points.refined().changes.empty()) << "the neighbours are not those two";
  points.two(128, 0.01, 0.5);
  Measurement& alone = points.add("float4_columns", 128, 0.04, 1);
  alone.verdict.outcome = Outcome::cannot_run;
  alone.warm.reset();
  points.add("row_split", 128, 0.04, 100e3);
  ASSERT_EQ(points.refined().changes.size(), 1u);
  EXPECT_EQ(points.refined().changes[0].place.integer("n"), 128);
  points.two(256, 0.01, 0.5);
  points.two(256, 0.04, 2);
  ASSERT_EQ(points.refined().changes.size(), 2u);
  EXPECT_EQ(points.refined().changes[0].elsewhere, "n=128");
}

TEST(GridRefinements, ALoneVariantHasNotWon) {
  Points points;
  points.two(64, 0.01, 0.5);
  points.add("row_split", 64, 0.04, 100e3);
  EXPECT_TRUE(points.refined().changes.empty());
}

TEST(GridRefinements, LeaveOutWhatAnotherCardMeasured) {
  Points points;
  points.two(64, 0.01, 0.5);
  points.two(64, 0.04, 2);
  EXPECT_EQ(points.refined().places.size(), 1u);
  points.two(64, 0.02, 1, "GPU-b");
  EXPECT_EQ(points.refined().changes.size(), 1u);
  EXPECT_TRUE(points.refined().places.empty());
}

TEST(GridRefinements, EndWhereNeighboursAreClose) {
  Points points;
  points.two(64, 0.01, 0.5);
  points.two(64, 0.0101, 2);
  points.two(7, 0.05, 0.5);
  points.two(8, 0.05, 2);
  const GridRefinement made = points.refined();
  EXPECT_EQ(made.changes.size(), 2u);
  EXPECT_EQ(made.close, 2u);
  EXPECT_TRUE(made.places.empty());
}

TEST(GridRefinements, HalveTheDistanceEachTime) {
  Points points;
  const auto measure = [&](double p) { points.two(64, p, p < 0.0217 ? 0.5 : 2); };
  measure(0.01);
  measure(0.1);
  for (int round = 0; round < 4; ++round) {
    const GridRefinement made = points.refined();
    ASSERT_EQ(made.places.size(), 1u) << round;
    measure(made.places[0].real("p"));
  }
  const GridRefinement made = points.refined();
  ASSERT_EQ(made.changes.size(), 1u);
  const double low = std::get<double>(made.changes[0].low);
  const double high = std::get<double>(made.changes[0].high);
  EXPECT_LT(low, 0.0217);
  EXPECT_GE(high, 0.0217);
  EXPECT_LT(high / low, 1.16) << "a factor of ten, halved four times, is one of 1.155";
}

TEST(GridRefinements, LeaveOutTunedPointsAndAutomaticChoices) {
  Points points;
  points.two(64, 0.01, 0.5);
  points.two(64, 0.04, 0.5);
  Measurement& chosen = points.add("auto", 64, 0.04, 10e3);
  chosen.choice = "the merge path";
  EXPECT_TRUE(points.refined().changes.empty());
  EXPECT_EQ(points.refined().points, 4u);
}

}  // namespace
}  // namespace warpscope
