// tests/workbench/desktop/rest_test.cpp: when the window is left alone.
#include "workbench/desktop/rest.h"

#include <gtest/gtest.h>

namespace warpscope {
namespace {

using namespace std::chrono_literals;

TEST(Rest, BeginsOnceSomeSecondsAfterTheLastTouch) {
  Rest rest;
  const Rest::Clock::time_point start{};
  EXPECT_FALSE(rest.begins(false, start)) << "the window has just opened";
  EXPECT_FALSE(rest.begins(true, start + 4s));
  EXPECT_FALSE(rest.begins(false, start + 4s + Rest::kAfter - 1ms));
  EXPECT_TRUE(rest.begins(false, start + 4s + Rest::kAfter));
  EXPECT_FALSE(rest.begins(false, start + 1h)) << "once is enough";
}

TEST(Rest, BeginsAgainAfterATouch) {
  Rest rest;
  const Rest::Clock::time_point start{};
  rest.begins(false, start);
  ASSERT_TRUE(rest.begins(false, start + Rest::kAfter));
  EXPECT_FALSE(rest.begins(true, start + 1min));
  EXPECT_FALSE(rest.begins(false, start + 1min + Rest::kAfter / 2));
  EXPECT_TRUE(rest.begins(false, start + 1min + Rest::kAfter));
}

}  // namespace
}  // namespace warpscope
