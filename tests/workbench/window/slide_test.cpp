// tests/workbench/window/slide_test.cpp: pictures for slides: what SVG and PNG hold, and what not.
#include "workbench/window/slide.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stb_image.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/folders.h"
#include "tests/workbench/window/drawn_text.h"
#include "tests/workbench/window/null_window.h"
#include "workbench/drawing/svg.h"
#include "workbench/window/presenter.h"

namespace warpscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

struct Folder {
  Folder() : path(fs::temp_directory_path() / ("warpscope-slides-" + std::to_string(::getpid()))) {
    fs::create_directories(path);
  }
  ~Folder() { fs::remove_all(path); }
  fs::path path;
};

std::string text_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::unique_ptr<Workspace> recorded(const std::string& scene) {
  auto workspace = std::make_unique<Workspace>(std::vector<std::string>{}, engine_command({}));
  EXPECT_TRUE(workspace->open(*recorded_session_of(scene)));
  workspace->update();
  return workspace;
}

// What Python's parser reads of an SVG: the words of its texts, and how many of each element.
struct Parsed {
  std::vector<std::string> texts;
  std::map<std::string, int> elements;
  std::string all() const {
    std::string words;
    for (const std::string& text : texts) words += text + "\n";
    return words;
  }
};
std::optional<Parsed> parsed(const fs::path& svg) {
  const fs::path out = svg.string() + ".json";
  std::ofstream(svg.string() + ".py")
      << "import json,sys,collections,xml.etree.ElementTree as tree\n"
         "root=tree.parse(sys.argv[1]).getroot()\n"
         "name=lambda e:e.tag.split('}')[1]\n"
         "json.dump({'texts':[''.join(e.itertext()) for e in root.iter() if name(e)=='text'],\n"
         "'xs':[len(e.get('x').split()) for e in root.iter() if name(e)=='text'],\n"
         "'elements':collections.Counter(map(name,root.iter()))},open(sys.argv[2],'w'))\n";
  const std::string command =
      "python3 " + svg.string() + ".py " + svg.string() + " " + out.string();
  if (std::system(command.c_str()) != 0) return std::nullopt;
  const nlohmann::json read = nlohmann::json::parse(text_of(out));
  return Parsed{read["texts"].get<std::vector<std::string>>(),
                read["elements"].get<std::map<std::string, int>>()};
}

SlideOptions slide_of(const std::string& panel, const fs::path& out, int width = 1280,
                      int height = 720) {
  SlideOptions slide;
  slide.panel = panel;
  slide.width = width;
  slide.height = height;
  slide.scale = 1;
  slide.out = out;
  return slide;
}

TEST(Svg, OfEveryPanelParsesAndHoldsWordsWithoutControls) {
  const Folder folder;
  const auto workspace = recorded("csrmm");
  workspace->selection.variant = "float4_columns";
  workspace->update();
  for (const PanelRow& panel : all_panels()) {
    // Sliders are controls through and through.
    if (!panel.belongs(workspace->view()) || std::string(panel.name) == "axes") continue;
    const fs::path out = folder.path / (std::string(panel.name) + ".svg");
    const Result<void> written = write_slide(slide_of(panel.name, out), *workspace, {}, {});
    ASSERT_TRUE(written) << panel.name << ": " << sentence(written.error());
    const std::optional<Parsed> svg = parsed(out);
    ASSERT_TRUE(svg) << panel.name;
    EXPECT_GE(svg->texts.size(), 1u) << panel.name;
    EXPECT_LT(fs::file_size(out), 700'000u) << panel.name;
    EXPECT_EQ(svg->elements.count("image"), 0u);
    for (const std::string& text : svg->texts) {
      for (const char* control : {"CSV", "PNG", "run sweep", "capture", "compile log", "play", "◀"})
        EXPECT_NE(text, control) << panel.name;
    }
    for (const char* cut : {"columns…", "float4…", "time…"})
      EXPECT_THAT(svg->all(), Not(HasSubstr(cut))) << panel.name;
  }
  const Parsed roofline = *parsed(folder.path / "roofline.svg");
  EXPECT_THAT(roofline.all(), HasSubstr("float4 columns"));
  EXPECT_THAT(roofline.all(), HasSubstr("FLOP/B"));
  EXPECT_THAT(parsed(folder.path / "metrics.svg")->all(), HasSubstr("DRAM"));
  EXPECT_THAT(parsed(folder.path / "overview.svg")->all(),
              AllOf(HasSubstr("float4 columns"), Not(HasSubstr("…")), Not(HasSubstr("show "))));
}

// The words that a frame logs stand in its SVG, whole and in their order.
TEST(Svg, KeepsWordsWholeAndEscapesWhatXmlKeeps) {
  const Folder folder;
  NullWindow window(400, 200);
  ImGuiStyle& style = ImGui::GetStyle();
  style.AntiAliasedLines = style.AntiAliasedFill = false;
  window.frame([] {
    ImGui::SetNextWindowPos({10, 10});
    ImGui::SetNextWindowSize({300, 150});
    ImGui::Begin("text", nullptr, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoBackground);
    ImGui::TextUnformatted("a < b && c > d, \"118.8 µs\" → 3.95 TB/s");
    ImGui::GetWindowDrawList()->AddRectFilled({20, 60}, {40, 80}, IM_COL32(255, 0, 0, 255));
    ImGui::GetWindowDrawList()->AddRectFilled({40, 60}, {60, 80}, IM_COL32(255, 0, 0, 255));
    ImGui::GetWindowDrawList()->AddCircleFilled({100, 70}, 8, IM_COL32(0, 0, 255, 128), 12);
    ImGui::GetWindowDrawList()->AddRectFilled({290, 60}, {400, 80}, IM_COL32(0, 255, 0, 255));
    ImGui::End();
  });
  const Result<std::string> svg =
      svg_of(*ImGui::GetDrawData(), IM_COL32(1, 2, 3, 255), window.style.mono.font);
  ASSERT_TRUE(svg) << sentence(svg.error());
  const fs::path out = folder.path / "words.svg";
  std::ofstream(out) << *svg;
  const std::optional<Parsed> read = parsed(out);
  ASSERT_TRUE(read) << *svg;
  ASSERT_EQ(read->texts.size(), 1u) << *svg;
  EXPECT_EQ(read->texts[0], "a < b && c > d, \"118.8 µs\" → 3.95 TB/s");
  EXPECT_EQ(read->elements.at("path"), 3) << "two red squares are one path\n" << *svg;
  EXPECT_THAT(*svg, HasSubstr("fill=\"#010203\""));
  EXPECT_THAT(*svg, HasSubstr("fill-opacity=\"0.5\""));
  EXPECT_THAT(*svg, HasSubstr("M20,60 40,60 40,80 20,80z"));
  // Cut at the window's clip rectangle: its edge less half of its padding.
  EXPECT_THAT(*svg, HasSubstr("M290,60 310,60 310,80 290,80z"));
}

TEST(Svg, RefusesAnImageWithASentence) {
  NullWindow window(400, 200);
  for (int i = 0; i < 2; ++i) {  // a window is shown from its second frame on
    window.frame([] {
      ImGui::Begin("image");
      ImGui::GetWindowDrawList()->AddImage(ImTextureID{7}, {80, 80}, {90, 90});
      ImGui::End();
    });
  }
  const Result<std::string> svg = svg_of(*ImGui::GetDrawData(), 0, nullptr);
  ASSERT_FALSE(svg);
  EXPECT_THAT(sentence(svg.error()), HasSubstr("cannot hold the image"));
  EXPECT_THAT(sentence(svg.error()), HasSubstr("write a PNG"));
}

// A picture cannot be scrolled: what has no room goes, and a line says how much.
TEST(Slides, ANarrowTableLeavesColumnsOutAndSaysHowMany) {
  const Folder folder;
  const auto workspace = recorded("csrmm");
  workspace->selection.variant = "warp_row_branch_free";  // another one than the baseline
  const fs::path out = folder.path / "metrics.svg";
  ASSERT_TRUE(write_slide(slide_of("metrics", out, 560, 480), *workspace, {}, {}));
  std::optional<Parsed> svg = parsed(out);
  ASSERT_TRUE(svg);
  // 20, 12, 14 and 9 times 8 pixels are 440; with the 12 of the baseline and the 12 of the meaning
  // they are 632. The meaning goes first, and the origin never.
  EXPECT_THAT(svg->all(), AllOf(HasSubstr("2 of 6 columns left out"), HasSubstr("value"),
                                HasSubstr("origin"), HasSubstr("difference"),
                                Not(HasSubstr("baseline")), Not(HasSubstr("source or meaning"))));
  ASSERT_TRUE(write_slide(slide_of("metrics", out, 1600, 480), *workspace, {}, {}));
  svg = parsed(out);
  ASSERT_TRUE(svg);
  EXPECT_THAT(svg->all(), AllOf(Not(HasSubstr("left out")), HasSubstr("origin")));
}

TEST(Slides, LeaveTheWindowAndItsSelectionAsTheyAre) {
  const Folder folder;
  NullWindow window;
  const auto workspace = recorded("csrmm");
  window.window(*workspace);
  const std::string before = workspace->selection.variant, key = workspace->view().key();
  const ImGuiContext* context = ImGui::GetCurrentContext();
  for (const char* panel : {"roofline", "window"})
    ASSERT_TRUE(write_slide(slide_of(panel, folder.path / "a.svg", 640, 480), *workspace,
                            window.panels, window.state));
  EXPECT_EQ(ImGui::GetCurrentContext(), context);
  EXPECT_EQ(ImGui::GetIO().DisplaySize.x, 1280);
  EXPECT_EQ(workspace->selection.variant, before);
  EXPECT_EQ(workspace->view().key(), key);
  EXPECT_FALSE(for_slides());
}

struct Pixels {
  int width = 0, height = 0;
  std::vector<unsigned char> rgb;
};
std::optional<Pixels> pixels_of(const fs::path& png) {
  Pixels read;
  int channels = 0;
  unsigned char* data = stbi_load(png.c_str(), &read.width, &read.height, &channels, 3);
  if (data == nullptr) return std::nullopt;
  read.rgb.assign(data, data + static_cast<std::size_t>(read.width) * read.height * 3);
  stbi_image_free(data);
  return read;
}

// Drawn by another program the SVG looks like the PNG: the same ground, ink in the same places.
TEST(Slides, SvgAndPngShowTheSame) {
  if (std::system("command -v rsvg-convert > /dev/null 2>&1") != 0)
    GTEST_SKIP() << "rsvg-convert is not installed (librsvg2-bin)";
  const Folder folder;
  const auto workspace = recorded("csrmm");
  for (const char* panel : {"roofline", "metrics", "sweep"}) {
    const fs::path svg = folder.path / "a.svg", png = folder.path / "a.png",
                   drawn = folder.path / "drawn.png";
    const Result<void> written = write_slide(slide_of(panel, png), *workspace, {}, {});
    if (!written && written.error().kind == ErrorKind::environment)
      GTEST_SKIP() << sentence(written.error());
    ASSERT_TRUE(written) << sentence(written.error());
    ASSERT_TRUE(write_slide(slide_of(panel, svg), *workspace, {}, {}));
    ASSERT_EQ(std::system(("rsvg-convert -o " + drawn.string() + " " + svg.string()).c_str()), 0);
    const auto a = pixels_of(png), b = pixels_of(drawn);
    ASSERT_TRUE(a && b);
    ASSERT_EQ(a->rgb.size(), b->rgb.size());
    // Letters are smoothed otherwise: blocks of 8 × 8 pixels are compared by their mean.
    int differing = 0, blocks = 0;
    for (int y = 0; y + 8 <= a->height; y += 8) {
      for (int x = 0; x + 8 <= a->width; x += 8) {
        int sum = 0;
        for (int i = 0; i < 64; ++i) {
          const std::size_t at =
              (static_cast<std::size_t>(y + i / 8) * a->width + x + i % 8) * 3 + 1;
          sum += a->rgb[at] - b->rgb[at];
        }
        ++blocks;
        differing += std::abs(sum) > 24 * 64 ? 1 : 0;
      }
    }
    EXPECT_LT(differing, blocks / 100) << panel << ": " << differing << " of " << blocks;
  }
}

TEST(Capture, ProposesANameAndSaysWhatItOverwrites) {
  const Folder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path);
  NullWindow window;
  const auto workspace = recorded("csrmm");
  window.window(*workspace);
  ImGuiStyle& look = ImGui::GetStyle();
  look.AntiAliasedLines = look.AntiAliasedFill = false;
  // All words of the frame: its log ends with its first window.
  const auto drawn = [&] {
    window.window(*workspace);
    return svg_of(*ImGui::GetDrawData(), 0, window.style.mono.font).value();
  };
  toggle_capture(window.state);
  EXPECT_THAT(drawn(), testing::AllOf(HasSubstr("A picture for slides"), HasSubstr("goes to"),
                                      HasSubstr("1920 × 1080"), HasSubstr("SVG")));
  EXPECT_EQ(capture_path(window.state.capture), fs::current_path() / "warpscope-window.png");
  window.state.capture.slide.panel = "roofline";
  window.state.capture.svg = true;
  std::ofstream(fs::current_path() / "warpscope-roofline.svg") << "there";
  EXPECT_THAT(drawn(), HasSubstr("overwrites"));
  window.hold_named(ImGuiKey_Enter, true);
  window.window(*workspace);
  window.hold_named(ImGuiKey_Enter, false);
  EXPECT_FALSE(window.state.capture.open);
  ASSERT_TRUE(window.state.slide_wish);
  EXPECT_EQ(window.state.slide_wish->out.filename(), "warpscope-roofline.svg");
  EXPECT_EQ(window.state.slide_wish->panel, "roofline");
  toggle_capture(window.state);
  window.window(*workspace);
  window.hold_named(ImGuiKey_Escape, true);
  window.window(*workspace);
  window.hold_named(ImGuiKey_Escape, false);
  EXPECT_THAT(drawn(), Not(HasSubstr("A picture for slides")));
  fs::current_path(before);
}

// The short letters of a row that is cut are whole: they are not drawn either.
TEST(Slides, ARowThatTheLowerEdgeCutsThroughIsNotDrawn) {
  NullWindow window(400, 300);
  window.frame([] {
    ImGui::SetNextWindowSize({300, 200});
    ImGui::Begin("alone", nullptr, ImGuiWindowFlags_NoDecoration);
    ImGui::BeginChild("rows", {240, 2.45f * ImGui::GetTextLineHeightWithSpacing()});
    for (const char* row : {"first gyp", "second gyp", "9.5 ygµ third"}) {
      ImGui::TextUnformatted(row);
      ImGui::SameLine(140);
      ImGui::TextUnformatted("-");
    }
    ImGui::EndChild();
    ImGui::End();
  });
  const auto shown = [] {
    std::string words;
    for (const DrawnText& text : drawn_texts()) words += text.words + "\n";
    return words;
  };
  ASSERT_THAT(shown(), AllOf(HasSubstr("second gyp"), HasSubstr("third")));
  drop_cut_letters(*ImGui::GetDrawData());
  const std::string whole = shown();
  EXPECT_THAT(whole, AllOf(HasSubstr("first gyp"), HasSubstr("second gyp"), Not(HasSubstr("9.5")),
                           Not(HasSubstr("third"))));
  EXPECT_EQ(std::count(whole.begin(), whole.end(), '-'), 2);
}

}  // namespace
}  // namespace warpscope
