// tests/workbench/window/text_rectangles_test.cpp: no text of the window is cut off or stands on
// another one, at four sizes, two scales and in both themes.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/folders.h"
#include "tests/recorded_session.h"
#include "tests/workbench/window/drawn_text.h"
#include "tests/workbench/window/null_window.h"

namespace warpscope {
namespace {

struct Look {
  int width, height;
  float scale;
  Theme theme;
  std::string name() const {
    return std::to_string(width) + " × " + std::to_string(height) + " at " +
           (scale == 1   ? "1"
            : scale == 2 ? "2"
                         : "1.6") +
           (theme == Theme::dark ? ", dark" : ", light");
  }
};

// The recorded session of a scene, with the traces that its diagrams show where an engine is built.
std::unique_ptr<Workspace> shown(const std::string& scene) {
  std::vector<std::string> emulator;
  const std::string engine = built_program("warpscope-engine");
  if (std::filesystem::exists(engine)) emulator = {engine, "--role", "emulate"};
  auto workspace = std::make_unique<Workspace>(std::vector<std::string>{}, emulator);
  const Result<void> opened = workspace->open(recorded_session(scene));
  EXPECT_TRUE(opened) << sentence(opened.error());
  EXPECT_EQ(workspace->scene().name, scene);
  workspace->update();
  const auto start = std::chrono::steady_clock::now();
  while (workspace->progress().busy &&
         std::chrono::steady_clock::now() - start < std::chrono::seconds(30)) {
    workspace->wait(0.05);
    workspace->update();
  }
  workspace->clear_notices();
  return workspace;
}

class TextRectangles : public testing::TestWithParam<std::string> {};

TEST_P(TextRectangles, AreInTheirPlacesAndApart) {
  const auto workspace = shown(GetParam());
  std::set<std::string> said;
  const auto say = [&](const std::string& what) {
    // Each text once: the same one is cut at several sizes.
    if (said.insert(what.substr(0, what.find(" ("))).second) ADD_FAILURE() << what;
  };
  std::vector<std::vector<std::string>> rounds(8);
  for (const Region region : {Region::centre, Region::right, Region::bottom}) {
    std::size_t at = 0;
    for (const PanelRow& panel : all_panels()) {
      if (panel.region == region && panel.belongs(*workspace))
        rounds[at++ % rounds.size()].push_back(panel.name);
    }
  }
  for (const auto& [width, height] :
       {std::pair(1280, 720), std::pair(1600, 900), std::pair(1920, 1080), std::pair(2560, 1440)}) {
    for (const float scale : {1.0f, 2.0f}) {
      for (const Theme theme : {Theme::dark, Theme::light}) {
        const Look look{width, height, scale, theme};
        NullWindow window(width, height, scale, theme);
        const GlyphTable glyphs;
        const bool stacked =
            is_stacked({static_cast<float>(width), static_cast<float>(height)}, scale);
        for (const std::vector<std::string>& round : rounds) {
          for (std::size_t i = 0;
               i < (stacked ? round.size() : std::min<std::size_t>(1, round.size())); ++i) {
            for (int frame = 0; frame < 4; ++frame) {
              for (std::size_t k = stacked ? i : 0; k < (stacked ? i + 1 : round.size()); ++k) {
                const Region region = find_panel(round[k])->region;
                std::string& tab = stacked                    ? window.state.stacked_tab
                                   : region == Region::centre ? window.state.centre_tab
                                   : region == Region::right  ? window.state.right_tab
                                                              : window.state.bottom_tab;
                tab = round[k];
              }
              window.state.left_tab = i % 2 == 0 ? "axes" : "variants";
              window.step(*workspace);
            }
            const std::vector<DrawnText> texts = drawn_texts(glyphs);
            std::string tabs;
            for (std::size_t k = stacked ? i : 0; k < (stacked ? i + 1 : round.size()); ++k)
              tabs += " " + round[k];
            const std::string where = " (" + look.name() + "," + tabs + ")";
            EXPECT_GT(texts.size(), 20u) << where;
            for (const DrawnText& text : cut_texts(texts, scale)) {
              say("cut: “" + text.words + "”" + where);
            }
            for (const auto& [a, b] : overlaid_texts(texts)) {
              say("on each other: “" + a.words + "” and “" + b.words + "”" + where);
            }
          }
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(OfScenes, TextRectangles,
                         testing::Values("csrmm", "led", "esmm", "patterns"),
                         [](const auto& scene) { return scene.param; });

}  // namespace
}  // namespace warpscope
