// tests/workbench/docking/docked_window_test.cpp: tabs are dragged from place to place, panels
// close and come back from the menu, and every shipped layout shows its texts whole.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "tests/folders.h"
#include "tests/recorded_session.h"
#include "tests/workbench/window/drawn_text.h"
#include "tests/workbench/window/null_window.h"
#include "workbench/window/presenter.h"

namespace warpscope {
namespace {

class DockedWindow : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(workspace_.open(recorded_session("csrmm")));
    steps(4);
  }
  void steps(int count) {
    for (int i = 0; i < count; ++i) window_.step(workspace_);
  }
  // Where words stand in the window, the last ones that are drawn: menus come after panels.
  static Box text(const std::string& words) {
    const auto unspaced = [](std::string part) {
      std::erase(part, ' ');
      return part;
    };
    const auto letters = [](const std::string& part) {  // of one and of several bytes
      return static_cast<std::size_t>(std::count_if(part.begin(), part.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
      }));
    };
    Box found;
    for (const DrawnText& drawn : drawn_texts()) {
      const std::string line = unspaced(drawn.words), wanted = unspaced(words);
      const std::size_t at = line.find(wanted);
      if (at == std::string::npos) continue;
      const std::size_t first = letters(line.substr(0, at));
      found = drawn.letters[first].box;
      for (std::size_t i = first; i < first + letters(wanted); ++i)
        found = hull(found, drawn.letters[i].box);
    }
    EXPECT_FALSE(found.empty()) << "no “" << words << "” is drawn";
    return found;
  }
  void press_at(float x, float y, int button = 0) {
    window_.move_mouse(x, y);
    steps(2);
    window_.hold_mouse(button, true);
    steps(1);
  }
  void open_menu_by_key() {
    window_.hold_control(true);
    window_.hold('B', true);
    steps(1);
    window_.hold('B', false);
    window_.hold_control(false);
    steps(3);
  }
  void click(const Box& box, int button = 0) {
    press_at((box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2, button);
    window_.hold_mouse(button, false);
    steps(3);
  }
  void drag(const Box& from, float x, float y) {
    press_at((from.x0 + from.x1) / 2, (from.y0 + from.y1) / 2);
    window_.move_mouse(x, y);
    steps(3);
    window_.hold_mouse(0, false);
    steps(4);
  }
  Arrangement& arrangement() { return window_.state.docks.present; }
  std::string place_of_panel(const std::string& panel) {
    const DockNode* leaf = leaf_with(arrangement(), panel);
    return leaf != nullptr ? leaf->name : "";
  }

  NullWindow window_{1600, 900};
  Workspace workspace_{std::vector<std::string>{}};
};

TEST_F(DockedWindow, MovesAPanelWhoseTabIsDraggedToTheTabsOfAnotherPlace) {
  const Box right = text("Coalescing");
  drag(text("Roofline"), right.x1 + 4, right.y0);
  EXPECT_EQ(place_of_panel("roofline"), "right");
  EXPECT_EQ(window_.state.right_tab, "roofline") << "it is in front there";
  EXPECT_EQ(window_.state.boxes.count("roofline"), 1u);
  EXPECT_EQ(window_.state.centre_tab, "overview");
}

TEST_F(DockedWindow, HalvesAPlaceAtItsEdge) {
  const Box diagrams = window_.state.boxes.at("coalescing");
  drag(text("Source"), (diagrams.x0 + diagrams.x1) / 2, diagrams.y1 - 8);
  EXPECT_EQ(place_of_panel("source"), "place-1");
  const Box source = window_.state.boxes.at("source"), above = window_.state.boxes.at("coalescing");
  EXPECT_GE(source.y0, above.y1);
  EXPECT_EQ(source.x1, above.x1);
  EXPECT_EQ(window_.state.bottom_tab, "metrics");
}

TEST_F(DockedWindow, MovesAListByItsTitle) {
  const Box diagrams = window_.state.boxes.at("coalescing");
  drag(text("Variants"), diagrams.x1 - 8, (diagrams.y0 + diagrams.y1) / 2);
  EXPECT_EQ(place_of_panel("variants"), "place-1");
  EXPECT_GE(window_.state.boxes.at("variants").x0, window_.state.boxes.at("coalescing").x1);
}

TEST_F(DockedWindow, LeavesATabThatIsDroppedWhereItWasOrWhereEscEndedIt) {
  drag(text("Roofline"), 700, 300);
  EXPECT_EQ(place_of_panel("roofline"), "centre") << "in the middle of its own place";
  const Box tab = text("Roofline"), right = text("Coalescing");
  press_at(tab.x0 + 4, tab.y0 + 4);
  window_.move_mouse(right.x0, right.y0);
  steps(2);
  window_.press(workspace_, ImGuiKey_Escape);
  steps(2);
  window_.hold_mouse(0, false);
  steps(3);
  EXPECT_EQ(place_of_panel("roofline"), "centre");
  // Outside of the window, where a panel may have no window of its own.
  drag(text("Roofline"), 2000, 300);
  EXPECT_EQ(place_of_panel("roofline"), "centre");
}

TEST_F(DockedWindow, GivesATabDroppedOutsideAWindowOfItsOwnThatIsDockedAgainAtAnEdge) {
  window_.state.docks.windows_possible = true;
  drag(text("Roofline"), 1605, 300);
  ASSERT_NE(window_of(arrangement(), "roofline"), nullptr);
  EXPECT_EQ(place_of_panel("roofline"), "");
  EXPECT_EQ(window_.state.boxes.count("roofline"), 1u) << "it is drawn";
  EXPECT_GT(window_of(arrangement(), "roofline")->x, 1500);
  dock(arrangement(), "roofline", "right", DockSide::inside);
  steps(2);
  EXPECT_EQ(window_of(arrangement(), "roofline"), nullptr);
  EXPECT_EQ(place_of_panel("roofline"), "right");
}

TEST_F(DockedWindow, ClosesAPanelByMiddleClickAndBringsItBackFromTheMenu) {
  click(text("Timing"), 2);
  EXPECT_FALSE(is_open(arrangement(), "timing"));
  click(text("panels ▾"));
  click(text("– Timing"));
  EXPECT_EQ(place_of_panel("timing"), "centre");
  EXPECT_EQ(window_.state.centre_tab, "timing");
  click(text("✔ Timing"));
  EXPECT_FALSE(is_open(arrangement(), "timing"));
}

TEST_F(DockedWindow, OpensTheMenuByItsKeyAndClosedPanelsByTheirs) {
  close_panel(arrangement(), "timing");
  open_menu_by_key();
  text("– Timing");
  window_.press(workspace_, ImGuiKey_Escape);
  steps(2);
  window_.hold('3', true);
  steps(1);
  window_.hold('3', false);
  steps(2);
  EXPECT_EQ(place_of_panel("timing"), "centre");
  EXPECT_EQ(window_.state.centre_tab, "timing");
}

TEST_F(DockedWindow, MovesAPanelByTheMenuOfItsTab) {
  click(text("Roofline"), 1);
  click(text("Split off below"));
  EXPECT_EQ(place_of_panel("roofline"), "place-1");
  click(text("Sweep"), 1);
  click(text("Move to the tabs with Coalescing"));
  EXPECT_EQ(place_of_panel("sweep"), "right");
  click(text("Timing"), 1);
  click(text("Close"));
  EXPECT_FALSE(is_open(arrangement(), "timing"));
}

TEST_F(DockedWindow, MovesAListByTheMenuOfItsRow) {
  click(text("panels ▾"));
  click(text("✔ Axes"), 1);
  click(text("Move to the tabs with Overview"));
  EXPECT_EQ(place_of_panel("axes"), "centre");
  EXPECT_EQ(window_.state.centre_tab, "axes");
}

TEST_F(DockedWindow, OpensTheMenuOfAPanelByKeysAlone) {
  open_menu_by_key();
  for (int i = 0; i < 20 && window_.state.docks.menu.tab.empty(); ++i) {
    window_.press(workspace_, ImGuiKey_Tab);
    window_.press(workspace_, ImGuiKey_Menu);
    steps(2);
  }
  EXPECT_EQ(window_.state.docks.menu.tab, "axes") << "the first panel's row";
  EXPECT_FALSE(text("Close").empty());
}

TEST_F(DockedWindow, SaysHowPanelsComeBackWhenAllAreClosed) {
  for (const PanelRow& panel : all_panels()) close_panel(arrangement(), panel.name);
  EXPECT_THAT(window_.window(workspace_), testing::HasSubstr("All panels are closed"));
  click(text("panels ▾"));
  click(text("○ expert"));
  EXPECT_EQ(place_of_panel("source"), "source");
  EXPECT_EQ(window_.state.docks.book.chosen, "expert");
}

TEST_F(DockedWindow, SavesResetsAndDeletesALayoutByTheMenu) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("warpscope-docked-" + std::to_string(::getpid()));
  std::filesystem::remove_all(folder);
  setenv("XDG_CONFIG_HOME", folder.c_str(), 1);
  drag(text("Roofline"), text("Coalescing").x1 + 4, text("Coalescing").y0);
  ASSERT_EQ(place_of_panel("roofline"), "right");
  click(text("panels ▾"));
  click(text("name"));
  ImGui::GetIO().AddInputCharactersUTF8("mine");
  steps(3);
  click(text("save"));
  text("● mine");
  // The next run has it.
  LayoutBook book;
  Arrangement present;
  ASSERT_TRUE(load_layouts(book, present));
  EXPECT_EQ(book.chosen, "mine");
  EXPECT_EQ(leaf_with(book.own["mine"], "roofline")->name, "right");
  click(text("○ first look"));
  EXPECT_EQ(place_of_panel("roofline"), "centre");
  click(text("○ mine"));
  EXPECT_EQ(place_of_panel("roofline"), "right");
  close_panel(arrangement(), "roofline");
  steps(2);
  click(text("reset"));
  EXPECT_EQ(place_of_panel("roofline"), "right");
  click(text("delete"));
  ASSERT_TRUE(load_layouts(book, present));
  EXPECT_TRUE(book.own.empty());
  std::filesystem::remove_all(folder);
}

TEST_F(DockedWindow, ALessonBringsBackItsPanelsAndLeavesTheLayoutAsItWas) {
  Presenter presenter;
  for (const char* panel : {"coalescing", "metrics", "roofline", "source"})
    close_panel(arrangement(), panel);
  window_.state.lesson_wish = source_folder() / "assets/lessons/csrmm.json";
  std::set<std::string> shown;
  do {
    for (int i = 0; i < 4; ++i) {
      presenter.update(workspace_, window_.state);
      window_.step(workspace_);
    }
    for (const auto& [name, box] : window_.state.boxes) shown.insert(name);
    window_.state.lesson_move = 1;
  } while (window_.state.lesson_step < window_.state.lesson_steps);
  EXPECT_THAT(shown, testing::Contains("roofline"));
  window_.state.lesson_leave = true;
  presenter.update(workspace_, window_.state);
  steps(2);
  for (const char* panel : {"coalescing", "metrics", "roofline", "source"})
    EXPECT_FALSE(is_open(arrangement(), panel)) << panel;
}

TEST_F(DockedWindow, PicturesShowTheFirstLookWhateverAPersonHasChosen) {
  const FrameState fresh;
  EXPECT_EQ(fresh.docks.present.root.name, "split-left");
  EXPECT_TRUE(fresh.docks.present.windows.empty());
}

struct Size {
  int width, height;
  float scale;
};

// In every place each of its panels once, at three sizes.
TEST(ShippedLayouts, ShowTextsWholeAndApart) {
  Workspace workspace{std::vector<std::string>{}};
  ASSERT_TRUE(workspace.open(recorded_session("csrmm")));
  std::set<std::string> said;
  for (const ShippedLayout& shipped : shipped_layouts()) {
    for (const Size& size : {Size{1280, 720, 1}, Size{1600, 900, 1}, Size{1280, 720, 2}}) {
      NullWindow window(size.width, size.height, size.scale);
      choose_layout(window.state.docks, shipped.name);
      window.step(workspace);
      for (std::size_t tab = 0; tab < all_panels().size(); ++tab) {
        window.state.more_tabs.clear();
        std::string where = std::string(shipped.name) + " at " + std::to_string(size.width) +
                            " × " + std::to_string(size.scale);
        for_each_leaf(window.state.docks.present.root, [&](const DockNode& leaf) {
          window.state.more_tabs.push_back(leaf.panels[tab % leaf.panels.size()]);
          where += ", " + window.state.more_tabs.back();
        });
        for (int frame = 0; frame < 4; ++frame) {
          const std::vector<std::string> fronts = window.state.more_tabs;
          window.step(workspace);
          window.state.more_tabs = fronts;
        }
        const std::vector<DrawnText> texts = drawn_texts();
        for (const DrawnText& text : cut_texts(texts, size.scale)) {
          if (said.insert(text.words).second)
            ADD_FAILURE() << "cut: “" << text.words << "” (" << where << ")";
        }
        for (const auto& [a, b] : overlaid_texts(texts)) {
          if (said.insert(a.words).second)
            ADD_FAILURE() << "on each other: “" << a.words << "”, “" << b.words << "” (" << where
                          << ")";
        }
      }
    }
  }
}

}  // namespace
}  // namespace warpscope
