// tests/workbench/desktop/displays_test.cpp: scale and size of the window beside the monitor.
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

TEST(WindowPlaces, AreNoLargerThanTheMonitorAndInsideOfIt) {
  const WindowPlace area{100, 30, 1280, 690, false};
  const auto expect = [&](const WindowPlace& place, const WindowPlace& wanted) {
    const WindowPlace is = fitted(place, area);
    EXPECT_EQ(is.x, wanted.x);
    EXPECT_EQ(is.y, wanted.y);
    EXPECT_EQ(is.width, wanted.width);
    EXPECT_EQ(is.height, wanted.height);
    EXPECT_EQ(is.maximised, wanted.maximised);
  };
  expect({150, 50, 800, 600, true}, {150, 50, 800, 600, true});       // it fits
  expect({0, 0, 1600, 900, false}, {100, 30, 1280, 690, false});      // too large
  expect({1200, 600, 800, 600, false}, {580, 120, 800, 600, false});  // over the lower right corner
}

}  // namespace
}  // namespace warpscope
