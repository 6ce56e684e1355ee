// tests/workbench/docking/arrangement_test.cpp: panels move from place to place, close and come
// back, and none is lost or stands twice.
#include "workbench/docking/arrangement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>
#include <vector>

namespace warpscope {
namespace {

std::vector<std::string> places_of(const Arrangement& a) {
  std::vector<std::string> names;
  for_each_leaf(a.root, [&](const DockNode& leaf) { names.push_back(leaf.name); });
  return names;
}

TEST(Arrangements, MoveAPanelToTheTabsOfAnotherPlace) {
  Arrangement a = first_look();
  dock(a, "roofline", "right", DockSide::inside);
  EXPECT_EQ(leaf_with(a, "roofline")->name, "right");
  EXPECT_EQ(leaf_with(a, "roofline")->front, "roofline");
}

TEST(Arrangements, SplitAPlaceAndCloseItWithItsLastPanel) {
  Arrangement a = first_look();
  dock(a, "source", "right", DockSide::below);
  EXPECT_THAT(places_of(a),
              testing::ElementsAre("axes", "variants", "centre", "right", "place-1", "bottom"));
  dock(a, "source", "bottom", DockSide::inside);
  EXPECT_THAT(places_of(a), testing::ElementsAre("axes", "variants", "centre", "right", "bottom"));
  close_panel(a, "axes");
  EXPECT_THAT(places_of(a), testing::ElementsAre("variants", "centre", "right", "bottom"));
}

TEST(Arrangements, BringAClosedPanelBackWhereItIsAtHome) {
  Arrangement a = first_look();
  close_panel(a, "coalescing");
  EXPECT_FALSE(is_open(a, "coalescing"));
  EXPECT_EQ(leaf_with(a, "banks")->front, "banks");
  open_panel(a, "coalescing");
  Arrangement fresh = first_look();
  EXPECT_EQ(leaf_with(a, "coalescing")->panels, leaf_with(fresh, "coalescing")->panels);
  close_panel(a, "axes");
  open_panel(a, "axes");
  EXPECT_EQ(leaf_with(a, "axes")->name, "variants") << "the list that is left";
}

TEST(Arrangements, BringPanelsBackAfterAllWereClosed) {
  Arrangement a = first_look();
  for (const PanelRow& panel : all_panels()) close_panel(a, panel.name);
  for (const PanelRow& panel : all_panels()) {
    open_panel(a, panel.name);
    EXPECT_TRUE(is_open(a, panel.name)) << panel.name;
  }
}

TEST(Arrangements, DoNothingWhereAPanelIsOrAPlaceIsNot) {
  Arrangement a = first_look();
  dock(a, "axes", "axes", DockSide::left);
  dock(a, "source", "bottom", DockSide::inside);
  dock(a, "source", "nowhere", DockSide::left);
  dock(a, "source", "split-left", DockSide::left);
  close_panel(a, "nothing");
  open_panel(a, "nothing");
  EXPECT_EQ(places_of(a), places_of(first_look()));
}

TEST(Arrangements, NeitherLosePanelsNorDoubleThemWhateverIsDone) {
  std::mt19937 random(1);
  const auto pick = [&random](std::size_t count) { return random() % count; };
  Arrangement a = first_look();
  std::set<std::string> open;
  for (const PanelRow& panel : all_panels()) open.insert(panel.name);
  for (int i = 0; i < 4000; ++i) {
    const std::string panel = all_panels()[pick(all_panels().size())].name;
    const std::vector<std::string> places = places_of(a);
    switch (pick(4)) {
      case 0:
        close_panel(a, panel);
        open.erase(panel);
        break;
      case 1:
        open_panel(a, panel);
        open.insert(panel);
        break;
      case 2:
        tear_off(a, {panel, 1, 2, 3, 4});
        open.insert(panel);
        break;
      default:
        if (places.front().empty()) break;
        dock(a, panel, places[pick(places.size())], static_cast<DockSide>(pick(5)));
        open.insert(panel);
    }
    std::multiset<std::string> shown;
    for (const PanelWindow& window : a.windows) shown.insert(window.panel);
    for_each_leaf(a.root, [&](const DockNode& leaf) {
      shown.insert(leaf.panels.begin(), leaf.panels.end());
      EXPECT_TRUE(!leaf.panels.empty() || &leaf == &a.root);
    });
    ASSERT_EQ(shown, std::multiset<std::string>(open.begin(), open.end())) << "after " << i;
    const std::vector<std::string> now = places_of(a);
    ASSERT_EQ(std::set<std::string>(now.begin(), now.end()).size(), now.size());
  }
}

}  // namespace
}  // namespace warpscope
