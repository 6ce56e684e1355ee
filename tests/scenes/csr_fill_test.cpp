// tests/scenes/csr_fill_test.cpp: a sparse matrix as three fills of a launch.
#include "scenes/base/csr_fill.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "scenes/base/user_argument.h"

namespace warpscope {
namespace {

const std::string kNumbers = " rows=300 columns=200 density=0.1 seed=7";

UserArgument argument(const std::string& text) {
  const Result<UserArgument> parsed = parse_user_argument(text);
  EXPECT_TRUE(parsed) << text << ": " << (parsed ? "" : sentence(parsed.error()));
  return parsed.value_or(UserArgument{});
}

TEST(CsrFill, RowsBeginWhereThoseBeforeEndAndColumnsRiseWithinARow) {
  const Result<CsrPattern> made = csr_pattern({300, 200, 0.1, 7});
  ASSERT_TRUE(made) << sentence(made.error());
  ASSERT_EQ(made->row_begins.size(), 301u);
  EXPECT_EQ(made->row_begins.front(), 0);
  EXPECT_EQ(made->row_begins.back(), static_cast<std::int64_t>(made->columns.size()));
  for (std::size_t row = 0; row < 300; ++row) {
    ASSERT_LE(made->row_begins[row], made->row_begins[row + 1]);
    for (auto e = made->row_begins[row]; e < made->row_begins[row + 1]; ++e) {
      const auto at = static_cast<std::size_t>(e);
      ASSERT_GE(made->columns[at], 0);
      ASSERT_LT(made->columns[at], 200);
      if (e > made->row_begins[row]) {
        ASSERT_LT(made->columns[at - 1], made->columns[at]);
      }
    }
  }
}

// 60 000 Bernoulli draws: the mean is 6000, and five standard deviations are 367.
TEST(CsrFill, ItsDensityIsTheChanceOfEachElement) {
  const Result<CsrPattern> made = csr_pattern({300, 200, 0.1, 7});
  ASSERT_TRUE(made);
  EXPECT_NEAR(static_cast<double>(made->columns.size()), 6000, 5 * std::sqrt(60000 * 0.1 * 0.9));
  EXPECT_EQ(csr_pattern({5, 4, 1, 1})->columns.size(), 20u);
  EXPECT_EQ(csr_pattern({5, 4, 0, 1})->columns.size(), 0u);
  EXPECT_EQ(csr_pattern({5, 4, 1, 1})->columns[7], 3);
  EXPECT_NE(csr_pattern({300, 200, 0.1, 8})->columns, made->columns) << "another random seed";
}

TEST(CsrFill, ThreeArgumentsWithTheSameNumbersAreOneMatrix) {
  const UserArgument begins = argument("i32[]:csr indptr" + kNumbers),
                     columns = argument("i64[]:csr indices" + kNumbers),
                     values = argument("f32[]:csr values" + kNumbers),
                     whole = argument("u8[]:csr values" + kNumbers);
  EXPECT_EQ(begins.count, 301);
  EXPECT_EQ(columns.count, values.count);
  EXPECT_EQ(filled(begins, 0).as<std::int32_t>()[300], columns.count);
  EXPECT_EQ(filled(columns, 0).as<std::int64_t>()[5], columns.csr->pattern->columns[5]);
  const HostArray reals = filled(values, 0), wholes = filled(whole, 0);
  for (const float v : reals.as<float>()) ASSERT_TRUE(v >= 0 && v < 1);
  for (const std::uint8_t v : wholes.as<std::uint8_t>()) ASSERT_TRUE(v >= 1 && v <= 9);
  EXPECT_TRUE(parse_user_argument("i32[301]:csr indptr" + kNumbers));
}

TEST(CsrFill, WhatDoesNotFitIsASentence) {
  for (const std::string& text :
       {"i32[300]:csr indptr" + kNumbers, std::string("i32[]:csr rows=3"),
        std::string("i32[]:csr indptr rows=0 columns=5 density=0.1"),
        std::string("i32[]:csr indptr rows=5 columns=5 density=1.5"),
        std::string("i32[]:csr indptr rows=5 columns=5.5 density=1"),
        std::string("i32[]:csr indptr rows=5 columns=5 density=x"),
        std::string("i32[]:csr indptr rows=5 columns=5 width=3"),
        std::string("i32[]:csr indptr rows=1000000 columns=1000000 density=1"),
        std::string("i32[]:csr"), std::string("i32[]:zero")}) {
    const Result<UserArgument> parsed = parse_user_argument(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().kind, ErrorKind::usage) << text;
    EXPECT_FALSE(parsed.error().remedy.empty()) << text;
  }
}

}  // namespace
}  // namespace warpscope
