// tests/workbench/desktop/displays_test.cpp: the scale follows the monitor until a person sets one.
#include "workbench/desktop/displays.h"

#include <gtest/gtest.h>

namespace warpscope {
namespace {

TEST(ScaleOfContent, FollowsTheMonitorAtOnce) {
  EXPECT_FLOAT_EQ(followed_scale(1, 2, 1), 2);
  EXPECT_FLOAT_EQ(followed_scale(2, 1.25f, 1), 1.25f);
}

TEST(ScaleOfContent, StaysWhereAPersonHasSetOne) {
  EXPECT_FLOAT_EQ(followed_scale(1, 2, 1.5f), 1);
  EXPECT_FLOAT_EQ(followed_scale(1, 2, 0.75f), 1);
}

// Larger and smaller again leaves a rounding error, and no choice.
TEST(ScaleOfContent, FollowsAgainWhenThePersonHasTakenTheScaleBack) {
  EXPECT_FLOAT_EQ(followed_scale(1, 2, 1.125f * (1 / 1.125f)), 2);
}

}  // namespace
}  // namespace warpscope
