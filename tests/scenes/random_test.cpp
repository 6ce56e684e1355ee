// tests/scenes/random_test.cpp: random numbers are the published ones, and loops cover every index.
#include "scenes/host/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <vector>

#include "scenes/host/parallel.h"

namespace warpscope {
namespace {

using Block = std::array<std::uint32_t, 4>;

// source: kat_vectors of Random123, philox 4x32 10.
TEST(Random, PhiloxGivesThePublishedVectors) {
  EXPECT_EQ(philox_block({0, 0, 0, 0}, 0, 0),
            (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox_block({~0u, ~0u, ~0u, ~0u}, ~0u, ~0u),
            (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox_block({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0xa4093822, 0x299f31d0),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

constexpr std::uint64_t kDraws = 200000;

TEST(Random, ARowOfUniformNumbersIsTheSameOneByOne) {
  const RandomStream stream(3, 9);
  std::vector<double> row(300);
  const std::uint64_t first = (std::uint64_t{1} << 32) - 150;  // across the counter's words
  stream.uniform(first, row);
  for (std::size_t i = 0; i < row.size(); ++i) ASSERT_EQ(row[i], stream.uniform(first + i)) << i;
}

TEST(Random, UniformNumbersHaveTheirMomentsAndRange) {
  const RandomStream stream(42, 7);
  double sum = 0, squares = 0;
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    const double u = stream.uniform(i);
    ASSERT_GE(u, 0.0);
    ASSERT_LT(u, 1.0);
    sum += u;
    squares += u * u;
  }
  // Five standard errors of the mean of U and of U²: their variances are 1/12 and 4/45.
  EXPECT_NEAR(sum / kDraws, 0.5, 5 * std::sqrt(1.0 / 12 / kDraws));
  EXPECT_NEAR(squares / kDraws, 1.0 / 3, 5 * std::sqrt(4.0 / 45 / kDraws));
}

TEST(Random, NormalNumbersHaveMeanZeroVarianceOneAndNoSkew) {
  const RandomStream stream(42, 7);
  double sum = 0, squares = 0, cubes = 0, fourths = 0;
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    const double z = stream.normal(i);
    ASSERT_TRUE(std::isfinite(z));
    sum += z;
    squares += z * z;
    cubes += z * z * z;
    fourths += z * z * z * z;
  }
  // Five standard errors: the variances of Z, Z², Z³, Z⁴ are 1, 2, 15, 96.
  EXPECT_NEAR(sum / kDraws, 0, 5 * std::sqrt(1.0 / kDraws));
  EXPECT_NEAR(squares / kDraws, 1, 5 * std::sqrt(2.0 / kDraws));
  EXPECT_NEAR(cubes / kDraws, 0, 5 * std::sqrt(15.0 / kDraws));
  EXPECT_NEAR(fourths / kDraws, 3, 5 * std::sqrt(96.0 / kDraws));
}

// The formula with the host's own functions in 80 bits; each of ours is good to some 1e-15.
TEST(Random, ExactNormalNumbersAreBoxMullersFormula) {
  const RandomStream stream(42, 7);
  long double squares = 0, most = 0;
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    const auto w = stream.words(i);
    const auto wide = [](std::uint32_t high, std::uint32_t low) {
      return static_cast<long double>((std::uint64_t{high} << 32 | low) >> 11);
    };
    const long double u = (wide(w[0], w[1]) + 1) * 0x1.0p-53L, v = wide(w[2], w[3]) * 0x1.0p-53L;
    const long double pi = 3.141592653589793238462643383279502884L;
    const long double expected = std::sqrt(-2 * std::log(u)) * std::cos(2 * pi * v);
    const double z = stream.normal_exact(i);
    ASSERT_NEAR(z, static_cast<double>(expected), 4e-15) << i;
    squares += static_cast<long double>(z) * z;
    most = std::max(most, std::abs(static_cast<long double>(z)));
  }
  EXPECT_NEAR(static_cast<double>(squares) / kDraws, 1, 5 * std::sqrt(2.0 / kDraws));
  EXPECT_GT(most, 3.5L);  // of 200000 draws, 93 in expectation
}

TEST(Random, BoundedNumbersFillTheirRangeEvenly) {
  const RandomStream stream(1, 2);
  std::vector<int> counts(7, 0);
  for (std::uint64_t i = 0; i < kDraws; ++i) ++counts[stream.below(i, 7)];
  const double expected = static_cast<double>(kDraws) / 7;
  for (const int count : counts) EXPECT_NEAR(count, expected, 5 * std::sqrt(expected * 6 / 7));
  EXPECT_EQ(stream.below(3, 1), 0u);
}

TEST(Random, SeedsAndStreamsAreIndependent) {
  const auto correlation = [](const RandomStream& a, const RandomStream& b) {
    double sum = 0;
    for (std::uint64_t i = 0; i < kDraws; ++i) sum += a.normal(i) * b.normal(i);
    return sum / kDraws;
  };
  const double limit = 5 * std::sqrt(1.0 / kDraws);
  EXPECT_NEAR(correlation({42, 1}, {42, 2}), 0, limit);
  EXPECT_NEAR(correlation({42, 1}, {43, 1}), 0, limit);
  EXPECT_NEAR(correlation({42, 1}, {42 + (1ull << 32), 1}), 0, limit);
  EXPECT_NEAR(correlation({42, 1}, {42, 1}), 1, 5 * std::sqrt(2.0 / kDraws));
}

TEST(Parallel, EveryIndexIsVisitedOnce) {
  for (const std::int64_t count : {0, 1, 7, 1000, 100003}) {
    std::vector<std::atomic<int>> visits(static_cast<std::size_t>(count));
    parallel_for(count, 10, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) ++visits[static_cast<std::size_t>(i)];
    });
    for (const auto& visit : visits) ASSERT_EQ(visit, 1) << count;
  }
}

}  // namespace
}  // namespace warpscope
