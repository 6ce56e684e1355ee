// tests/workbench/window/frame_test.cpp: whole frames offscreen, and the table of keys.
#include "workbench/window/frame.h"

#include <gtest/gtest.h>
#include <stb_image.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <filesystem>
#include <memory>
#include <set>
#include <utility>

#include "tests/workbench/window/null_window.h"
#include "workbench/window/offscreen.h"

namespace warpscope {
namespace {

TEST(Commands, HaveNamesKeysAndSentencesOfTheirOwn) {
  std::set<std::string> names, keys;
  for (const Command& command : all_commands()) {
    EXPECT_TRUE(names.insert(command.name).second) << command.name;
    EXPECT_TRUE(keys.insert(command.keys).second) << command.keys << " twice";
    EXPECT_STRNE(command.sentence, "") << command.name;
    EXPECT_NE(command.pressed, nullptr);
    EXPECT_NE(command.act, nullptr);
  }
  for (const char* needed : {"F1", "F5", "L", "T", "Esc", "Ctrl+Z", "Ctrl+Y", "Ctrl+F", "Ctrl+S"})
    EXPECT_TRUE(keys.count(needed) != 0) << needed;
}

TEST(Help, ListsKeysByTaskAndFindsThem) {
  NullWindow window(1600, 1200);
  window.state.help.open = true;
  const auto words = [&] { return window.frame([&] { draw_help(window.style, window.state); }); };
  words();
  const std::string all = words();
  for (int task = 0; task < kTasks; ++task)
    EXPECT_NE(all.find(to_text(static_cast<Task>(task))), std::string::npos) << task;
  for (const Command& command : all_commands())
    EXPECT_NE(all.find(command.sentence), std::string::npos) << command.name;
  window.state.help.filter = "BASELINE";
  const std::string found = words();
  EXPECT_NE(found.find("make the variant in focus the baseline"), std::string::npos);
  EXPECT_EQ(found.find("close the window"), std::string::npos);
}

TEST(Commands, EveryTabHasAKeyThatBringsItToTheFront) {
  Workspace workspace({});
  PanelStates panels;
  std::set<std::string> reached;
  for (const Command& command : all_commands()) {
    if (std::string(command.name).rfind("tab ", 0) != 0) continue;
    FrameState state;
    command.act(workspace, panels, state);
    reached.insert(state.wanted_tab);
  }
  for (const PanelRow& panel : all_panels()) {
    const bool in_tabs = panel.region == Region::centre || panel.region == Region::right ||
                         panel.region == Region::bottom;
    EXPECT_TRUE(!in_tabs || reached.count(panel.name) != 0) << panel.name;
  }
}

struct Drawn {
  int vertices = 0;
  std::map<std::string, Box> boxes;
  // Figures of the panel's own picture.
  double ink_ratio = 0;   // pixels that differ from the ground
  int ink_in_margin = 0;  // of them those in the first columns
};

// The picture's ground is what stands in the middle of its left edge; its corners are round.
void count_ink(const unsigned char* pixels, int columns, int rows, float scale, Drawn& drawn) {
  const int margin = static_cast<int>(5 * scale), corner = static_cast<int>(8 * scale);
  const unsigned char* ground = pixels + static_cast<std::ptrdiff_t>(rows / 2) * columns * 3;
  int ink = 0;
  for (int y = 0; y < rows; ++y) {
    for (int x = 0; x < columns; ++x) {
      const unsigned char* at = pixels + (static_cast<std::ptrdiff_t>(y) * columns + x) * 3;
      if (std::memcmp(ground, at, 3) == 0) continue;
      ++ink;
      drawn.ink_in_margin += x < margin && y >= corner && y < rows - corner ? 1 : 0;
    }
  }
  drawn.ink_ratio = static_cast<double>(ink) / (static_cast<double>(columns) * rows);
}

struct Look {
  int width, height;
  float scale;
  Theme theme;
};

// The window with an empty session, of a scene without curves and pictures, and no engine.
class DrawnWindow {
 public:
  DrawnWindow(const Look& look, std::unique_ptr<Offscreen> screen)
      : look_(look), screen_(std::move(screen)), style_(make_style(look.theme, look.scale)) {
    load_fonts(style_);
    apply_style(style_);
  }
  Result<Drawn> draw(const std::string& tab) {
    for (int i = 0; i < 4; ++i) {
      state_.wanted_tab = tab;
      workspace_.update();
      screen_->frame(1.0 / 60, [&] { draw_workbench(workspace_, panels_, style_, state_); });
    }
    Drawn drawn{ImGui::GetDrawData()->TotalVtxCount, state_.boxes};
    if (Result<void> read = read_picture(drawn, state_.boxes[tab]); !read)
      return tl::unexpected(read.error());
    return drawn;
  }
  const SessionView& view() const { return workspace_.view(); }

 private:
  // A panel's picture as it is written and read back.
  Result<void> read_picture(Drawn& drawn, const Box& box) {
    const auto png = std::filesystem::temp_directory_path() /
                     ("warpscope-frame-" + std::to_string(::getpid()) + ".png");
    const int wide = static_cast<int>(box.width()), high = static_cast<int>(box.height());
    if (Result<void> saved = screen_->save_png(png.string(), static_cast<int>(box.x0),
                                               static_cast<int>(box.y0), wide, high);
        !saved)
      return saved;
    int columns = 0, rows = 0, channels = 0;
    unsigned char* pixels = stbi_load(png.c_str(), &columns, &rows, &channels, 3);
    if (pixels == nullptr || columns != wide || rows != high)
      return failure(ErrorKind::internal, "the PNG does not read back", png.string(), "");
    count_ink(pixels, columns, rows, look_.scale, drawn);
    stbi_image_free(pixels);
    std::filesystem::remove(png);
    return {};
  }

  Look look_;
  std::unique_ptr<Offscreen> screen_;
  Workspace workspace_{{}};
  PanelStates panels_;
  FrameState state_;
  Style style_;
};

TEST(Frame, DrawsEveryTabInsideTheWindowAtThreeSizesAndInBothThemes) {
  for (const Look look : {Look{1280, 720, 1, Theme::dark}, Look{1600, 900, 1, Theme::light},
                          Look{3200, 1800, 2, Theme::dark}}) {
    Result<std::unique_ptr<Offscreen>> screen = Offscreen::create(look.width, look.height);
    if (!screen && screen.error().kind == ErrorKind::environment)
      GTEST_SKIP() << sentence(screen.error());
    ASSERT_TRUE(screen) << sentence(screen.error());
    DrawnWindow window(look, std::move(*screen));
    for (const PanelRow& panel : all_panels()) {
      if (!panel.belongs(window.view())) continue;
      const Result<Drawn> drawn = window.draw(panel.name);
      ASSERT_TRUE(drawn) << sentence(drawn.error());
      ASSERT_EQ(drawn->boxes.count(panel.name), 1u) << panel.name << " was not drawn";
      const Box& r = drawn->boxes.at(panel.name);
      EXPECT_GE(r.x0, 0) << panel.name;
      EXPECT_GE(r.y0, 0) << panel.name;
      EXPECT_LE(r.x1, static_cast<float>(look.width)) << panel.name;
      EXPECT_LE(r.y1, static_cast<float>(look.height)) << panel.name;
      EXPECT_GT(r.width(), 150 * look.scale) << panel.name;
      EXPECT_GT(r.height(), 100 * look.scale) << panel.name;
      EXPECT_EQ(drawn->ink_in_margin, 0) << panel.name << " has no margin in a picture of it";
      EXPECT_GT(drawn->vertices, 2000) << panel.name;
      EXPECT_GT(drawn->ink_ratio, 0.001) << panel.name;  // a sentence at least
    }
  }
}

}  // namespace
}  // namespace warpscope
