// tests/profiling/agreement/point_pair_test.cpp: two pinned points beside each other.
#include "profiling/agreement/point_pair.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiling/points/point.h"
#include "scenes/catalogue.h"

namespace warpscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const Scene& csrmm() { return *built_in_catalogue().find("csrmm").value(); }

Configuration at_n(const char* n) {
  return with_values(csrmm().axes, default_configuration(csrmm().axes), {{"n", n}}).value();
}

MetricValue value_of(const char* id, double value) { return {id, value, Origin::measured, "", ""}; }

// From 1 % below the median to 1 % above it.
Timing timing_of(double median_ns) {
  Timing timing;
  timing.cache = CacheState::warm;
  timing.minimum_ns = 0.99 * median_ns;
  timing.median_ns = median_ns;
  timing.third_quartile_ns = 1.01 * median_ns;
  return timing;
}

Measurement point_at(const char* variant, const char* n, const char* device = "GPU-1") {
  Measurement m;
  m.scene = "csrmm";
  m.variant = variant;
  m.axes = for_variant(csrmm().axes, at_n(n), variant);
  m.key = configuration_key(csrmm().axes, m.axes, variant);
  m.problem = problem_key(csrmm().axes, m.axes);
  m.verdict.outcome = Outcome::correct;
  m.conditions.device = "a device";
  m.conditions.device_uuid = device;
  m.warm = timing_of(100e3);
  return m;
}

PairSide side_of(const Measurement& m, std::vector<MetricValue> values) {
  return {m.scene, m.problem, &m, std::move(values), ""};
}

const PairedFigure* figure_of(const PointPair& pair, const std::string& id) {
  for (const PairedFigure& figure : pair.figures) {
    if (figure.id == id) return &figure;
  }
  return nullptr;
}

TEST(PointPair, HoldsBToAAndGreysWhatIsNoise) {
  const Measurement a = point_at("warp_row_zero_test", "256"),
                    b = point_at("float4_columns", "256");
  const PointPair pair =
      pair_points(side_of(a, {value_of("time.warm", 100e3), value_of("dram.bytes", 0)}),
                  side_of(b, {value_of("time.warm", 80e3), value_of("dram.bytes", 32)}));
  EXPECT_EQ(pair.apart, "");
  const PairedFigure* time = figure_of(pair, "time.warm");
  ASSERT_NE(time, nullptr);
  EXPECT_EQ(time->unit, "ns");
  EXPECT_DOUBLE_EQ(*time->difference, -20e3);
  EXPECT_NEAR(*time->change, -0.2, 1e-12);
  EXPECT_EQ(time->verdict, PairVerdict::better);
  const PairedFigure* bytes = figure_of(pair, "dram.bytes");
  EXPECT_DOUBLE_EQ(*bytes->difference, 32);
  EXPECT_FALSE(bytes->change) << "nothing is so many percent of 0";
  EXPECT_EQ(pair.figures.front().id, "time.warm") << "times come first";
  Measurement slower = b;
  slower.warm = timing_of(100.9e3);
  const PointPair close = pair_points(side_of(a, {value_of("time.warm", 100e3)}),
                                      side_of(slower, {value_of("time.warm", 100.9e3)}));
  EXPECT_EQ(close.figures.front().verdict, PairVerdict::noise) << "their samples overlap by more";
  EXPECT_EQ(close.figures.front().noise, "within the measured noise");
  EXPECT_EQ(close.beyond_noise, 0);
  slower.warm = timing_of(101.1e3);
  const PointPair beyond = pair_points(side_of(a, {value_of("time.warm", 100e3)}),
                                       side_of(slower, {value_of("time.warm", 101.1e3)}));
  EXPECT_EQ(beyond.figures.front().verdict, PairVerdict::worse);
  EXPECT_EQ(beyond.beyond_noise, 1);
}

TEST(PointPair, OfTwoProblemsShowsDifferencesThatAreNeitherBetterNorWorse) {
  const Measurement a = point_at("float4_columns", "128"), b = point_at("float4_columns", "256");
  const std::vector<MetricValue> values = {value_of("time.warm", 100e3),
                                           value_of("emulated.sectors_load", 7)};
  const PointPair problems = pair_points(side_of(a, values), side_of(b, values));
  EXPECT_THAT(problems.apart, HasSubstr("n"));
  EXPECT_THAT(problems.apart_emulated, HasSubstr("n=256"));
  for (const PairedFigure& figure : problems.figures) {
    EXPECT_TRUE(figure.a && figure.b) << figure.id;
    EXPECT_EQ(figure.difference, 0) << figure.id;
    EXPECT_EQ(figure.change, 0) << figure.id;
    EXPECT_THAT(figure.no_difference, HasSubstr("neither better nor worse: ")) << figure.id;
    EXPECT_EQ(figure.verdict, PairVerdict::none) << figure.id;
  }
  EXPECT_TRUE(problems.other_problem);
  EXPECT_EQ(problems.beyond_noise, 0);
}

TEST(PointPair, OfTwoDevicesShowsBothAndSaysWhyTheyAreNotCompared) {
  const Measurement a = point_at("float4_columns", "128"),
                    there = point_at("float4_columns", "128", "GPU-2");
  const std::vector<MetricValue> values = {value_of("time.warm", 100e3),
                                           value_of("emulated.sectors_load", 7)};
  const PointPair devices = pair_points(side_of(a, values), side_of(there, values));
  EXPECT_NE(devices.apart, "");
  EXPECT_FALSE(figure_of(devices, "time.warm")->difference);
  EXPECT_EQ(figure_of(devices, "emulated.sectors_load")->difference, 0)
      << "what is emulated is of no device";
}

TEST(PointPair, SaysWhyASideHasNoFigure) {
  Measurement a = point_at("float4_columns", "128"), wrong = a;
  wrong.verdict = {Outcome::wrong, "3 of 9 elements differ", ""};
  MetricValue missing = value_of("l2.hit_ratio", 0);
  missing.value.reset();
  missing.reason = "no permission";
  missing.remedy = "ask for it";
  const PointPair pair =
      pair_points(side_of(a, {value_of("time.warm", 1e3), missing}), {"csrmm", a.problem});
  EXPECT_EQ(pair.apart, "B was not measured");
  EXPECT_EQ(figure_of(pair, "l2.hit_ratio")->no_a, "no permission: ask for it");
  EXPECT_NE(figure_of(pair, "time.warm")->no_b, "");
  EXPECT_EQ(figure_of(pair, "time.warm")->no_difference, "B has no value");
  EXPECT_THAT(pair_points(side_of(a, {}), side_of(wrong, {})).apart, HasSubstr("3 of 9"));
  PairSide earlier = side_of(a, {});
  earlier.earlier = "measured with an earlier source";
  EXPECT_EQ(pair_points(earlier, side_of(a, {})).apart, "A was measured with an earlier source");
  EXPECT_NE(pair_points(side_of(a, {}), {"led", "x"}).apart_emulated, "");
}

TEST(PointPair, NamesTheAxesThatDiffer) {
  EXPECT_THAT(differing_axes(csrmm(), at_n("128"), "float4_columns", at_n("128"), "float4_columns"),
              IsEmpty());
  EXPECT_THAT(differing_axes(csrmm(), at_n("128"), "float4_columns", at_n("256"), "float4_columns"),
              ElementsAre(AxisPair{"n", "128", "256", false}));
}

}  // namespace
}  // namespace warpscope
