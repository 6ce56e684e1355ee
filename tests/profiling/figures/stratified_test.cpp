// tests/profiling/figures/stratified_test.cpp: totals of strata and their intervals, by closed
// forms.
#include "profiling/figures/stratified.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

namespace warpscope {
namespace {

TEST(Stratified, TotalIsTheSumOfSizesTimesMeans) {
  // 10 · 2 + 100 · 5.
  const std::vector<SampledStratum> strata = {{10, {1, 2, 3}}, {100, {4, 6}}};
  EXPECT_DOUBLE_EQ(stratified_total(strata).value, 520);
}

TEST(Stratified, VarianceHasTheFinitePopulationCorrection) {
  // 5 of 10 units: 10² · (1 − 5/10) · 2.5 / 5 = 25, four degrees of freedom: 4.604 · 5.
  const std::vector<SampledStratum> half = {{10, {1, 2, 3, 4, 5}}};
  EXPECT_NEAR(*stratified_total(half).half_width, 4.604 * 5, 1e-9);
  // The same for a million: there is hardly any correction.
  const std::vector<SampledStratum> few = {{1e6, {1, 2, 3, 4, 5}}};
  EXPECT_NEAR(*stratified_total(few).half_width / 1e6, 4.604 * std::sqrt(0.5), 1e-4);
  // All five are known.
  const std::vector<SampledStratum> all = {{5, {1, 2, 3, 4, 5}}};
  EXPECT_EQ(stratified_total(all).half_width, 0);
  EXPECT_EQ(stratified_total(all).value, 15);
}

TEST(Stratified, OneUnitOfSeveralHasNoSpreadThatAnyoneKnows) {
  const std::vector<SampledStratum> one = {{5, {3}}};
  EXPECT_FALSE(stratified_total(one).half_width);
  const std::vector<SampledStratum> only = {{1, {3}}};
  EXPECT_EQ(stratified_total(only).half_width, 0);
}

TEST(Stratified, TakesStudentsDistribution) {
  // source: tables of Student's distribution, two-sided 1 %.
  const std::pair<double, double> table[] = {{1, 63.657}, {2, 9.925},   {4, 4.604},  {9, 3.250},
                                             {10, 3.169}, {15, 2.947},  {20, 2.845}, {30, 2.750},
                                             {60, 2.660}, {120, 2.617}, {1e9, 2.576}};
  for (const auto& [freedom, point] : table)
    EXPECT_NEAR(student_99(freedom) / point, 1, 0.003) << freedom;
}

TEST(Stratified, RatioOfProportionalValuesIsSure) {
  const std::vector<SampledStratum> parts = {{50, {4, 8, 12}}, {50, {20, 40}}},
                                    wholes = {{50, {1, 2, 3}}, {50, {5, 10}}};
  const StratifiedTotal ratio = stratified_ratio(parts, wholes);
  EXPECT_DOUBLE_EQ(ratio.value, 4);
  EXPECT_NEAR(*ratio.half_width, 0, 1e-9);
  EXPECT_FALSE(stratified_ratio(parts, std::vector<SampledStratum>{{50, {0, 0, 0}}, {50, {0, 0}}})
                   .half_width);
}

// At least 97 % of the intervals from a thousand samples of one population contain the true total.
// 99 % are expected, and 97 % is six standard errors below.
TEST(Stratified, IntervalsHoldTheTotalAsOftenAsTheySay) {
  std::mt19937 random(5);
  std::vector<double> low(300), high(200);
  for (double& v : low) v = std::uniform_real_distribution<double>(0, 10)(random);
  for (double& v : high) v = std::normal_distribution<double>(100, 30)(random);
  const double truth =
      std::accumulate(low.begin(), low.end(), 0.0) + std::accumulate(high.begin(), high.end(), 0.0);
  int held = 0;
  double widths = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    std::shuffle(low.begin(), low.end(), random);
    std::shuffle(high.begin(), high.end(), random);
    const std::vector<SampledStratum> strata = {{300, {low.begin(), low.begin() + 20}},
                                                {200, {high.begin(), high.begin() + 100}}};
    const StratifiedTotal total = stratified_total(strata);
    held += std::abs(total.value - truth) <= *total.half_width ? 1 : 0;
    widths += *total.half_width;
  }
  EXPECT_GE(held, 970);
  EXPECT_LT(widths / 1000, 0.06 * truth);  // an interval of anything would hold it too
}

}  // namespace
}  // namespace warpscope
