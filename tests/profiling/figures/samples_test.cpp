// tests/profiling/figures/samples_test.cpp: samples are given back as they came.
#include "profiling/figures/samples.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "profiling/figures/shared_text.h"

namespace warpscope {
namespace {

TEST(Samples, OfTenthsAreTheSameDoublesInHalfTheMemory) {
  // Parsed as a session's are: 17159.7, which no float has.
  std::vector<double> parsed;
  std::mt19937_64 random(7);
  for (int i = 0; i < 20'000; ++i)
    parsed.push_back(
        std::stod(std::to_string(random() % 429'000'000) + "." + std::to_string(random() % 10)));
  const Samples samples = parsed;
  EXPECT_EQ(samples.values(), parsed);
  EXPECT_EQ(samples.bytes(), static_cast<std::int64_t>(4 * parsed.size()));
  EXPECT_EQ(samples[123], parsed[123]);
}

TEST(Samples, OfOtherNumbersAreKeptAsTheyAre) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double odd : {0.05, 1.0 / 3, 4.3e8, 1e300, -1.0, infinity, 5e-324}) {
    const std::vector<double> mixed = {10, 0.1, odd, 20};
    const Samples at_once = mixed;
    Samples one_by_one;
    for (const double sample : mixed) one_by_one.push_back(sample);
    EXPECT_EQ(at_once.values(), mixed) << odd;
    EXPECT_EQ(one_by_one.values(), mixed) << odd;
    EXPECT_EQ(at_once, one_by_one) << odd;
  }
  const Samples zeros = {-0.0, 0.0};
  EXPECT_TRUE(std::signbit(zeros[0]));
  EXPECT_FALSE(std::signbit(zeros[1]));
  EXPECT_TRUE(std::isnan(Samples{std::nan("")}[0]));
}

TEST(Samples, ComeInOrder) {
  std::mt19937_64 random(11);
  for (const std::uint64_t range :
       {1ULL, 5ULL, 300ULL, 70'000ULL, 20'000'000ULL, 4'290'000'000ULL}) {
    for (const std::size_t count : {0, 1, 2, 3, 500}) {
      std::vector<double> list;
      for (std::size_t i = 0; i < count; ++i)
        list.push_back(static_cast<double>(random() % range) / 10);
      for (const bool exact : {false, true}) {
        if (exact && count > 0) list.push_back(1.0 / 3);
        std::vector<double> expected = list;
        std::sort(expected.begin(), expected.end());
        EXPECT_EQ(Samples(list).sorted(), expected) << count << " below " << range;
      }
    }
  }
}

TEST(SharedText, ReadsAsAStringAndKeepsEqualTextsOnce) {
  SharedTexts texts;
  const SharedText first = texts.of("it needs dram.bytes_read"),
                   second = texts.of(std::string("it needs ") + "dram.bytes_read");
  EXPECT_TRUE(first.shares_with(second));
  EXPECT_EQ(first, second);
  EXPECT_EQ(first, "it needs dram.bytes_read");
  EXPECT_FALSE(first.shares_with(SharedText("it needs dram.bytes_read")));
  EXPECT_EQ(SharedText("it needs dram.bytes_read"), first);
  EXPECT_EQ("“" + first + "”", "“it needs dram.bytes_read”");
  EXPECT_TRUE(texts.of("").empty());
  EXPECT_EQ(SharedText().string(), "");
  EXPECT_LT(SharedText("a"), SharedText("b"));
}

}  // namespace
}  // namespace warpscope
