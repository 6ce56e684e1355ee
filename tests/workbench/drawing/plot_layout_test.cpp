// tests/workbench/drawing/plot_layout_test.cpp: scales, ticks and labels of plots.
#include "workbench/drawing/plot_layout.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace warpscope {
namespace {

TEST(PlotScale, APositionReadsBackAsItsValue) {
  for (const PlotScale& scale : {PlotScale{false, -3, 7}, PlotScale{true, 1e-3, 1e12}}) {
    for (const double position : {0.0, 0.25, 0.5, 1.0}) {
      EXPECT_NEAR(scale.position(scale.value(position)), position, 1e-12);
    }
  }
  EXPECT_NEAR((PlotScale{true, 1, 10000}).value(0.5), 100, 1e-9);
}

TEST(PlotScale, ZoomKeepsTheValueUnderThePointer) {
  for (PlotScale scale : {PlotScale{false, 0, 10}, PlotScale{true, 1, 1e6}}) {
    const double before = scale.value(0.3), span = scale.high - scale.low;
    scale.zoom(0.3, 0.5);
    EXPECT_NEAR(scale.value(0.3) / before, 1, 1e-9);
    EXPECT_LT(scale.high - scale.low, span);
  }
}

TEST(PlotScale, FittedHoldsEveryValueAndStaysPositiveOnALogAxis) {
  const std::vector<double> values = {3, 1, 400};
  for (const bool log : {false, true}) {
    const PlotScale scale = fitted(values, log, 0.05);
    EXPECT_LT(scale.low, 1);
    EXPECT_GT(scale.high, 400);
    if (log) {
      EXPECT_GT(scale.low, 0);
    }
  }
}

TEST(Ticks, AreInsideInOrderAndNoMoreThanAsked) {
  for (const PlotScale& scale : {PlotScale{false, 0, 97}, PlotScale{true, 2e9, 7e12}}) {
    const std::vector<Tick> all = ticks(scale, "B/s", 6);
    const auto labelled =
        std::count_if(all.begin(), all.end(), [](const Tick& t) { return !t.label.empty(); });
    EXPECT_GE(labelled, 2);
    EXPECT_LE(labelled, 6);
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_GE(scale.position(all[i].value), -1e-9);
      EXPECT_LE(scale.position(all[i].value), 1 + 1e-9);
      if (i > 0) {
        EXPECT_GT(all[i].value, all[i - 1].value);
      }
    }
  }
}

TEST(Labels, AreMovedUntilNoneOverlap) {
  std::vector<Box> boxes = {{0, 50, 40, 60}, {5, 52, 45, 62}, {10, 51, 50, 61}};
  keep_apart(boxes, 0, 200);
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    EXPECT_GE(boxes[i].y0, 0);
    EXPECT_LE(boxes[i].y1, 200);
    for (std::size_t j = 0; j < i; ++j) {
      const bool apart = boxes[i].y0 >= boxes[j].y1 - 1e-3f || boxes[j].y0 >= boxes[i].y1 - 1e-3f;
      EXPECT_TRUE(apart) << i << " and " << j;
    }
  }
}

TEST(Labels, StandWhereTheyCoverNothingOrLeast) {
  const std::vector<Box> places = {{0, 0, 40, 10}, {50, 0, 90, 10}, {100, 0, 140, 10}};
  EXPECT_EQ(clearest(places, {}), 0u) << "the first is wanted most";
  EXPECT_EQ(clearest(places, {{30, 5, 34, 9}}), 1u);
  EXPECT_EQ(clearest(places, {{30, 5, 60, 9}}), 2u);
  EXPECT_EQ(clearest(places, {{0, 0, 95, 10}, {130, 0, 135, 5}}), 2u) << "all are covered";
  EXPECT_EQ(clearest(places, {{40, 0, 50, 10}}), 0u) << "touching is not covering";
}

}  // namespace
}  // namespace warpscope
