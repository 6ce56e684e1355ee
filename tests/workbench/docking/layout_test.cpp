// tests/workbench/docking/layout_test.cpp: places cover the window without a gap or an overlap, and
// none is too small to use.
#include "workbench/docking/layout.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <vector>

#include "tests/workbench/window/null_window.h"
#include "workbench/docking/layouts.h"

namespace warpscope {
namespace {

struct Look {
  float width, height, scale;
};
const std::vector<Look> kLooks = {{1280, 720, 1},     {1600, 900, 1},    {1920, 1080, 1},
                                  {2560, 1440, 1},    {1280, 720, 2},    {1600, 900, 2},
                                  {1920, 1080, 2},    {2560, 1440, 2},   {1920, 1080, 1.6f},
                                  {1280, 720, 1.25f}, {3200, 1800, 2.5f}};
const std::vector<float> kRatios = {-1, 0, 0.1f, 0.5f, 0.9f, 1};  // below 0: as they ship

Layout layout_at(const Look& look, Arrangement& arrangement) {
  const Style style = make_style(Theme::dark, look.scale);
  const Box all{style.unit(1), style.unit(5), look.width - style.unit(1),
                look.height - style.unit(5)};
  return layout_of(all, is_stacked({look.width, look.height}, look.scale), style, arrangement,
                   [](const PanelRow&) { return true; });
}

void set_ratios(DockNode& node, float ratio) {
  if (node.is_split()) node.ratio = ratio;
  for (DockNode& part : node.parts) set_ratios(part, ratio);
}

// Every shipped layout at every look and with splitters anywhere.
void for_each_layout(const std::function<void(const Look&, const Layout&)>& act) {
  for (const ShippedLayout& shipped : shipped_layouts()) {
    for (const Look& look : kLooks) {
      for (const float ratio : kRatios) {
        SCOPED_TRACE(shipped.name);
        Arrangement arrangement = shipped.make();
        if (ratio >= 0) set_ratios(arrangement.root, ratio);
        act(look, layout_at(look, arrangement));
      }
    }
  }
}

TEST(LayoutOfRegions, StacksBelowAnEffectiveSize) {
  EXPECT_FALSE(is_stacked({1280, 720}, 1));
  EXPECT_FALSE(is_stacked({2560, 1440}, 2));
  EXPECT_TRUE(is_stacked({1920, 1080}, 2));
  EXPECT_TRUE(is_stacked({1280, 720}, 1.25f));
}

TEST(LayoutOfRegions, ShowsEveryPanelOnceAndOverlapsNothing) {
  for_each_layout([](const Look&, const Layout& l) {
    std::multiset<std::string> shown;
    std::vector<Box> boxes;
    for (const Place& place : l.places) {
      for (const PanelRow* panel : place.panels) shown.insert(panel->name);
      boxes.push_back(place.box);
      EXPECT_TRUE(holds(l.all, place.box)) << place.name;
    }
    for (const Splitter& splitter : l.splitters) boxes.push_back(splitter.box);
    EXPECT_EQ(shown.size(), all_panels().size());
    EXPECT_EQ(std::set<std::string>(shown.begin(), shown.end()).size(), all_panels().size());
    float area = 0;
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      area += boxes[i].area();
      for (std::size_t k = i + 1; k < boxes.size(); ++k)
        EXPECT_TRUE(overlap(boxes[i], boxes[k]).empty()) << i << " and " << k;
    }
    EXPECT_NEAR(area, l.all.area(), l.all.area() * 1e-3);
  });
}

TEST(LayoutOfRegions, LeavesEveryPlaceItsLeastWhateverTheSplittersSay) {
  for_each_layout([](const Look& look, const Layout& l) {
    for (const Place& place : l.places) {
      EXPECT_GE(place.box.width() / look.scale, 190)
          << place.name << " at " << look.width << " × " << look.scale;
      EXPECT_GE(place.box.height() / look.scale, 100) << place.name;
    }
  });
}

TEST(LayoutOfRegions, GivesTheRoomOfAPlaceWithoutPanelsToItsNeighbour) {
  Arrangement arrangement = first_look();
  const Style style = make_style(Theme::dark, 1);
  const Layout l = layout_of({0, 0, 1600, 900}, false, style, arrangement,
                             [](const PanelRow& row) { return row.region != Region::bottom; });
  ASSERT_EQ(l.places.size(), 4u);
  EXPECT_EQ(l.places[2].name, "centre");
  EXPECT_EQ(l.places[2].box.y1, 900);
}

TEST(LayoutOfRegions, FoldsWhatDoesNotFitAndLeavesTheArrangementAlone) {
  Arrangement arrangement = first_look();
  dock(arrangement, "source", "right", DockSide::below);
  EXPECT_TRUE(layout_at({1280, 720, 2}, arrangement).folded);
  EXPECT_FALSE(layout_at({1280, 720, 1}, arrangement).folded);
  EXPECT_NE(leaf_with(arrangement, "source")->name, "bottom");
  Arrangement column = layout_named({}, "one column");
  EXPECT_FALSE(layout_at({700, 1200, 1}, column).folded) << "it is for narrow windows";
}

}  // namespace
}  // namespace warpscope
