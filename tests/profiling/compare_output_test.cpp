// tests/profiling/compare_output_test.cpp: what passes for right, element by element.
#include "profiling/compare_output.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace warpscope {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

OutputComparison compared(float out, double reference, const Tolerance& tolerance) {
  OutputComparison comparison;
  const std::vector<float> values = {out};
  const std::vector<ReferenceValue> expected = {{reference, 2, 10}};
  compare_elements(values, expected, tolerance, 0, comparison);
  return comparison;
}

TEST(CompareOutput, HoldsAnErrorToTheSumOfTheBounds) {
  const Tolerance tolerance{0.5, 0.1, 0.01, 0.25};  // of accumulation, magnitude, reference
  const double bound = 0.5 * 2 + 0.1 * 10 + 0.01 * 4 + 0.25;
  EXPECT_EQ(compared(static_cast<float>(4 + 0.9 * bound), 4, tolerance).mismatches, 0);
  EXPECT_NEAR(compared(static_cast<float>(4 + 0.9 * bound), 4, tolerance).worst_error_ratio, 0.9,
              1e-6);
  EXPECT_EQ(compared(static_cast<float>(4 + 1.1 * bound), 4, tolerance).mismatches, 1);
}

TEST(CompareOutput, TakesNanAndInfinityOnlyForThemselves) {
  const Tolerance tolerance{1, 1, 1, 1};
  EXPECT_EQ(compared(kNan, std::numeric_limits<double>::quiet_NaN(), tolerance).mismatches, 0);
  EXPECT_EQ(compared(kNan, 1, tolerance).mismatches, 1);
  EXPECT_EQ(compared(1, std::numeric_limits<double>::quiet_NaN(), tolerance).mismatches, 1);
  EXPECT_EQ(compared(kInfinity, std::numeric_limits<double>::infinity(), tolerance).mismatches, 0);
  EXPECT_EQ(compared(1, std::numeric_limits<double>::infinity(), tolerance).mismatches, 1);
  EXPECT_EQ(compared(kInfinity, 1, tolerance).mismatches, 1);
}

TEST(CompareOutput, NamesTheWorstElement) {
  OutputComparison comparison;
  const std::vector<float> values = {1, 1, 5, 1};
  const std::vector<ReferenceValue> expected(4, {1, 1, 1});
  compare_elements(values, expected, {0, 0, 0, 0.5}, 8, comparison);
  BufferSpec c;
  c.name = "c";
  c.shape = {4, 4};
  const Verdict verdict = verdict_of(comparison, c);
  EXPECT_EQ(verdict.outcome, Outcome::wrong);
  EXPECT_EQ(verdict.sentence,
            "1 of 4 elements are beyond the bound; the worst, near c[2, 2], by 8×");
}

TEST(CompareOutput, AddsTheRoundingOfTheOutputsType) {
  const Tolerance t{0, 0, 0.5, 1e-30};
  EXPECT_EQ(for_output(t, ElementType::f32).reference, 0.5);
  EXPECT_EQ(for_output(t, ElementType::f16).reference, 0.5 + 1 / 2048.0);
  EXPECT_EQ(for_output(t, ElementType::f16).absolute, std::ldexp(1.0, -25));
  EXPECT_EQ(for_output(t, ElementType::bf16).reference, 0.5 + 1 / 256.0);
  EXPECT_EQ(for_output(t, ElementType::bf16).absolute, 1e-30);
}

}  // namespace
}  // namespace warpscope
