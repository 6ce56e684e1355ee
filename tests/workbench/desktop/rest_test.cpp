// tests/workbench/desktop/rest_test.cpp: when the window is left alone.
#include "workbench/desktop/rest.h"

#include <gtest/gtest.h>

namespace warpscope {
namespace {

using namespace std::chrono_literals;

TEST(Rest, BeginsOnceSomeSecondsAfterTheLastTouch) {
  Rest rest;
  const Rest::Clock::time_point start{};
  EXPECT_FALSE(rest.begins(false, false, start)) << "the window has just opened";
  EXPECT_FALSE(rest.begins(true, false, start + 4s));
  EXPECT_FALSE(rest.begins(false, false, start + 4s + Rest::kAfter - 1ms));
  EXPECT_TRUE(rest.begins(false, false, start + 4s + Rest::kAfter));
  EXPECT_FALSE(rest.begins(false, false, start + 1h)) << "once is enough";
}

TEST(Rest, BeginsAgainAfterATouch) {
  Rest rest;
  const Rest::Clock::time_point start{};
  rest.begins(false, false, start);
  ASSERT_TRUE(rest.begins(false, false, start + Rest::kAfter));
  EXPECT_FALSE(rest.begins(true, false, start + 1min));
  EXPECT_FALSE(rest.begins(false, false, start + 1min + Rest::kAfter / 2));
  EXPECT_TRUE(rest.begins(false, false, start + 1min + Rest::kAfter));
}

TEST(Rest, BeginsWhileAnEngineWorksAndAgainAfterIt) {
  Rest rest;
  const Rest::Clock::time_point start{};
  rest.begins(true, true, start);
  EXPECT_FALSE(rest.begins(false, true, start + Rest::kAfter - 1ms));
  EXPECT_TRUE(rest.begins(false, true, start + Rest::kAfter)) << "nobody touches anything";
  EXPECT_FALSE(rest.begins(false, true, start + 1min));
  EXPECT_FALSE(rest.begins(false, false, start + 2min)) << "what it made came just now";
  EXPECT_TRUE(rest.begins(false, false, start + 2min + Rest::kAfter));
  EXPECT_FALSE(rest.begins(false, false, start + 1h));
}

}  // namespace
}  // namespace warpscope
