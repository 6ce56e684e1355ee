// tests/workbench/window/layout_test.cpp: regions cover the window without a gap or an overlap, and
// none is too small to use.
#include "workbench/window/layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "tests/workbench/window/null_window.h"

namespace warpscope {
namespace {

struct Look {
  float width, height, scale;
};
const std::vector<Look> kLooks = {{1280, 720, 1},     {1600, 900, 1},    {1920, 1080, 1},
                                  {2560, 1440, 1},    {1280, 720, 2},    {1600, 900, 2},
                                  {1920, 1080, 2},    {2560, 1440, 2},   {1920, 1080, 1.6f},
                                  {1280, 720, 1.25f}, {3200, 1800, 2.5f}};
const std::vector<Ratios> kRatios = {
    {}, {0.1f, 0.1f, 0.1f, 0.1f}, {0.6f, 0.8f, 0.8f, 0.8f}, {0.1f, 0.8f, 0.8f, 0.1f}};

Layout layout_at(const Look& look, Ratios& ratios) {
  const Style style = make_style(Theme::dark, look.scale);
  const Box all{style.unit(1), style.unit(5), look.width - style.unit(1),
                look.height - style.unit(5)};
  return layout_of(all, is_stacked({look.width, look.height}, look.scale), style, ratios);
}

TEST(LayoutOfRegions, StacksBelowAnEffectiveSize) {
  EXPECT_FALSE(is_stacked({1280, 720}, 1));
  EXPECT_FALSE(is_stacked({2560, 1440}, 2));
  EXPECT_TRUE(is_stacked({1920, 1080}, 2));
  EXPECT_TRUE(is_stacked({1280, 720}, 1.25f));
}

TEST(LayoutOfRegions, ShowsEveryRegionOnceAndOverlapsNothing) {
  for (const Look& look : kLooks) {
    for (Ratios ratios : kRatios) {
      const Layout l = layout_at(look, ratios);
      std::multiset<Region> shown;
      std::vector<Box> boxes;
      for (const Place& place : l.places) {
        shown.insert(place.regions.begin(), place.regions.end());
        boxes.push_back(place.box);
        EXPECT_TRUE(holds(l.all, place.box)) << place.name;
      }
      for (const Splitter& splitter : l.splitters) boxes.push_back(splitter.box);
      EXPECT_EQ(shown.size(), 5u);
      EXPECT_EQ(std::set<Region>(shown.begin(), shown.end()).size(), 5u);
      float area = 0;
      for (std::size_t i = 0; i < boxes.size(); ++i) {
        area += boxes[i].area();
        for (std::size_t k = i + 1; k < boxes.size(); ++k)
          EXPECT_TRUE(overlap(boxes[i], boxes[k]).empty()) << i << " and " << k;
      }
      EXPECT_NEAR(area, l.all.area(), l.all.area() * 1e-3);
    }
  }
}

TEST(LayoutOfRegions, LeavesEveryRegionItsLeastWhateverTheSplittersSay) {
  for (const Look& look : kLooks) {
    for (Ratios ratios : kRatios) {
      const Layout l = layout_at(look, ratios);
      for (const Place& place : l.places) {
        EXPECT_GE(place.box.width() / look.scale, 190)
            << place.name << " at " << look.width << " × " << look.scale;
        EXPECT_GE(place.box.height() / look.scale, 100) << place.name;
      }
    }
  }
}

}  // namespace
}  // namespace warpscope
