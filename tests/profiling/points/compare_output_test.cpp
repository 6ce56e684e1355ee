// tests/profiling/points/compare_output_test.cpp: what passes for right, element by element.
#include "profiling/points/compare_output.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <span>
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
            "1 of 4 elements are beyond the bound; the worst, at c[2, 2], by 8×: 5 in place of 1");
}

TEST(CompareOutput, AddsTheRoundingOfTheOutputsType) {
  const Tolerance t{0, 0, 0.5, 1e-30};
  EXPECT_EQ(for_output(t, ElementType::f32).reference, 0.5);
  EXPECT_EQ(for_output(t, ElementType::f16).reference, 0.5 + 1 / 2048.0);
  EXPECT_EQ(for_output(t, ElementType::f16).absolute, std::ldexp(1.0, -25));
  EXPECT_EQ(for_output(t, ElementType::bf16).reference, 0.5 + 1 / 256.0);
  EXPECT_EQ(for_output(t, ElementType::bf16).absolute, 1e-30);
}

TEST(BitExact, CountsEqualBitsAndTheStepsToTheFarthest) {
  const BufferSpec y{"y", ElementType::f32, 4, BufferRole::output, {4}};
  const auto verdict = [&](std::vector<float> out, std::vector<double> references) {
    std::vector<ReferenceValue> expected;
    for (const double value : references) expected.push_back({value, 0, 1});
    OutputComparison comparison;
    Tolerance tolerance{1, 1, 1, 1};  // wide bounds do not matter
    tolerance.bit_exact = true;
    compare_elements(out, expected, tolerance, 0, comparison);
    return verdict_of(comparison, y);
  };
  const float third = 1.0f / 3.0f, nan = std::numeric_limits<float>::quiet_NaN();
  // The reference is rounded to the output's type.
  EXPECT_EQ(verdict({third, -2, 0, nan}, {1.0 / 3.0, -2, 0, nan}).sentence,
            "every bit of 4 elements of y equals the reference");
  const float above = std::nextafter(std::nextafter(1.0f, 2.0f), 2.0f);
  EXPECT_EQ(verdict({above, 1, 1, 1}, {1, 1, 1, 1}).sentence,
            "3 of 4 elements of y are bit-equal; the farthest, at y[0], by 2 ulp, a relative "
            "difference of 2.4e-07");
  EXPECT_EQ(verdict({0, 0, 0, 0}, {0, 0, -0.0, 0}).sentence,
            "3 of 4 elements of y are bit-equal; the farthest, at y[2], by 1 ulp");
  // Through zero: the smallest number below and the smallest above, with both zeros between.
  const float tiny = std::numeric_limits<float>::denorm_min();
  EXPECT_EQ(verdict({tiny}, {-tiny}).worst_error_ratio, 3);
  const Verdict unwritten = verdict({nan, 1, 1, 1}, {1, 1, 1, 1});
  EXPECT_EQ(unwritten.outcome, Outcome::wrong);
  EXPECT_NE(unwritten.sentence.find("not a number or was never written"), std::string::npos);
}

// 2.5 and the number after next: as words of 32 bits they are 2 apart as well.
TEST(BitExact, SaysTheDifferenceOfWholeNumbersAndOfWordsThatLookLikeNumbers) {
  const auto said = [](ElementType type, auto out, double reference) {
    const BufferSpec y{"y", type, 1, BufferRole::output, {1}};
    const std::vector<ReferenceValue> expected = {{reference, 0, 1}};
    OutputComparison comparison;
    Tolerance tolerance;
    tolerance.bit_exact = true;
    compare_elements(type, std::as_bytes(std::span(&out, 1)), expected, tolerance, 0, comparison);
    const std::string sentence = verdict_of(comparison, y).sentence;
    return sentence.substr(sentence.find("at y"));
  };
  EXPECT_EQ(said(ElementType::i32, std::int32_t{-3}, 4), "at y[0], by 7: -3 in place of 4");
  EXPECT_EQ(said(ElementType::u32, std::uint32_t{12}, 8), "at y[0], by 4: 12 in place of 8");
  const auto bits = std::bit_cast<std::uint32_t>(2.5f);
  EXPECT_EQ(said(ElementType::u32, bits + 2, bits),
            "at y[0], by 2 as words of 32 bits; read as f32, by 2 ulp, a relative difference of "
            "1.9e-07");
}

TEST(Comparison, SaysWhereTheBoundIsZeroAndCallsThatNumberNone) {
  const std::vector<float> values = {0, 1e-20f};
  const std::vector<ReferenceValue> expected = {{0, 0, 0}, {0, 0, 0}};
  OutputComparison comparison;
  compare_elements(std::span<const float>(values), expected, {.magnitude = 1e-5}, 0, comparison);
  const Verdict verdict =
      verdict_of(comparison, {"y", ElementType::f32, 2, BufferRole::output, {2}});
  EXPECT_EQ(verdict.outcome, Outcome::wrong);
  EXPECT_NE(verdict.sentence.find("at y[1], where the bound is 0"), std::string::npos)
      << verdict.sentence;
}

TEST(ATolerance, JudgesNothingWhereZerosPassEverywhere) {
  const std::vector<ReferenceValue> expected = {{0.5, 0, 1}, {-0.25, 0, 1}, {0, 0, 0}};
  const auto accepted = [&](const Tolerance& tolerance) {
    return accepts_zeros(ElementType::f32, expected, tolerance);
  };
  EXPECT_TRUE(accepted({.absolute = 0.5}));
  EXPECT_FALSE(accepted({.absolute = 0.49})) << "one element is held";
  EXPECT_TRUE(accepted({.reference = 1}));
  EXPECT_FALSE(accepted({.magnitude = 1e-5}));
  EXPECT_FALSE(accepted({.bit_exact = true}));
  // Where zeros are the answer they have to pass.
  const std::vector<ReferenceValue> zeros(3);
  EXPECT_FALSE(accepts_zeros(ElementType::f32, zeros, {.absolute = 1}));
}

TEST(BitExact, HoldsIntegersOfEverySizeToAllTheirBits) {
  Tolerance tolerance;
  tolerance.bit_exact = true;
  const auto mismatches = [&](ElementType type, auto value, double reference) {
    const std::vector<ReferenceValue> expected = {{reference, 0, 1}};
    OutputComparison comparison;
    compare_elements(type, std::as_bytes(std::span(&value, 1)), expected, tolerance, 0, comparison);
    return comparison.mismatches;
  };
  EXPECT_EQ(mismatches(ElementType::i8, std::int8_t{-128}, -128), 0);
  EXPECT_EQ(mismatches(ElementType::u8, std::uint8_t{255}, -1), 1);
  EXPECT_EQ(mismatches(ElementType::u8, std::uint8_t{0}, 256), 1);
  EXPECT_EQ(mismatches(ElementType::i32, std::int32_t{7}, 7.25), 1);
  EXPECT_EQ(mismatches(ElementType::u32, std::uint32_t{4294967295u}, 4294967295.0), 0);
  EXPECT_EQ(mismatches(ElementType::i64, std::int64_t{1} << 52, std::ldexp(1.0, 52)), 0);
  // A double cannot say which of two neighbours this is.
  EXPECT_EQ(mismatches(ElementType::i64, std::int64_t{1} << 53, std::ldexp(1.0, 53)), 1);
}

}  // namespace
}  // namespace warpscope
