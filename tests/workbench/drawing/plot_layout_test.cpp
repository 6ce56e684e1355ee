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

std::vector<std::string> labels_of(const std::vector<Tick>& all) {
  std::vector<std::string> labels;
  for (const Tick& tick : all) {
    if (!tick.label.empty()) labels.push_back(tick.label);
  }
  return labels;
}

TEST(Ticks, OfPowersOfTwoArePowersOfTwo) {
  using Labels = std::vector<std::string>;
  const PlotScale stride = fitted({1, 2, 4, 8, 16, 32, 64}, true, 0.05);
  EXPECT_TRUE(stride.binary);
  EXPECT_EQ(labels_of(ticks(stride, "", 9)), (Labels{"1", "2", "4", "8", "16", "32", "64"}));
  const PlotScale n = fitted({1048576, 16777216, 67108864}, true, 0.05);
  EXPECT_EQ(labels_of(ticks(n, "", 3)), (Labels{"1 Mi", "8 Mi", "64 Mi"}));
  EXPECT_FALSE(fitted({1, 10, 100}, true, 0.05).binary);
  // Stops just beside powers of two are looked at because of these.
  EXPECT_TRUE(fitted({16, 32, 33, 64, 127, 128, 256, 512}, true, 0.05).binary);
  EXPECT_FALSE(fitted({16, 32, 50, 100, 200, 400}, true, 0.05).binary);
  EXPECT_FALSE(fitted({1, 2, 64}, false, 0.05).binary) << "a linear axis keeps its steps";
}

TEST(Ticks, AreNeverWrittenWithAnExponent) {
  for (const PlotScale& scale : {PlotScale{true, 3e5, 3e7}, PlotScale{false, 0, 5e7},
                                 PlotScale{true, 1e-7, 1}, PlotScale{false, 0, 3e-5}}) {
    for (const std::string& label : labels_of(ticks(scale, "", 6)))
      EXPECT_EQ(label.find('e'), std::string::npos) << label;
  }
  EXPECT_EQ(labels_of(ticks({true, 0.9e6, 11e6}, "", 2)),
            (std::vector<std::string>{"1 M", "10 M"}));
  EXPECT_EQ(labels_of(ticks({true, 0.9e-5, 1.1e-4}, "", 2)),
            (std::vector<std::string>{"0.00001", "0.0001"}));
}

TEST(Ticks, HaveLabelsThatDifferHoweverNarrowTheirRange) {
  using Labels = std::vector<std::string>;
  EXPECT_EQ(labels_of(ticks({false, 299010, 299050}, "ns", 4)),
            (Labels{"299.01 µs", "299.02 µs", "299.03 µs", "299.04 µs", "299.05 µs"}));
  EXPECT_EQ(labels_of(ticks({false, 1000100, 1000400}, "1", 3)),
            (Labels{"1.0001 M", "1.0002 M", "1.0003 M", "1.0004 M"}));
  for (const char* unit : {"ns", "B", "B/s", "FLOP/s", "1", "ratio", "%"}) {
    for (const bool log : {false, true}) {
      for (const double span : {1e-4, 1e-3, 0.01, 0.1, 0.7}) {
        for (const double low : {3.7, 812.0, 9.6e5, 2.9e9}) {
          const Labels labels = labels_of(ticks({log, low, low * (1 + span)}, unit, 6));
          EXPECT_GE(labels.size(), 2u) << low << " " << span << " " << unit;
          for (std::size_t i = 1; i < labels.size(); ++i)
            EXPECT_NE(labels[i], labels[i - 1]) << low << " " << span << " " << unit;
        }
      }
    }
  }
}

TEST(Ticks, OfALinearAxisHaveOneUnit) {
  EXPECT_EQ(
      labels_of(ticks({false, 0, 1.2e6}, "ns", 6)),
      (std::vector<std::string>{"0", "0.2 ms", "0.4 ms", "0.6 ms", "0.8 ms", "1.0 ms", "1.2 ms"}));
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
