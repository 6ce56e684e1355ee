// tests/workbench/window/text_rectangles_test.cpp: no text of the window is cut off or stands on
// another one, at four sizes, two scales and in both themes; each is legible on what lies below.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "tests/folders.h"
#include "tests/recorded_session.h"
#include "tests/workbench/window/drawn_contrast.h"
#include "tests/workbench/window/drawn_text.h"
#include "tests/workbench/window/null_window.h"
#include "tests/workbench/workspace/finish_work.h"
#include "workbench/window/presenter.h"
#include "workbench/workspace/pinned_points.h"

namespace warpscope {
namespace {

const auto kScenes = testing::Values("csrmm", "led", "esmm", "deform", "patterns", "autoencoder");
std::string name_of_scene(const testing::TestParamInfo<std::string>& scene) { return scene.param; }

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

// Until nothing is on its way.
void rest(Workspace& workspace) {
  finish_work(workspace);
  workspace.log.clear_notices();
}

// The smallest, one small size at each scale, or all combinations, which is slow.
enum class Sizes { smallest, small, all };

bool runs_kernels_alone(const Measurement& point) {
  return std::all_of(point.steps.begin(), point.steps.end(), [](const StepRecord& step) {
    return step.phase != Phase::run || step.kind == "kernel";
  });
}

// To the recorded point of a variant, or of any variant of kernels alone, that takes the least
// time: it is quickly emulated.
void turn_to_the_quickest_point(Workspace& workspace, const std::string& variant) {
  const Measurement* quickest = nullptr;
  for (const Measurement* point : workspace.view().session().all_points()) {
    if (point->scene != workspace.scene().name || !point->warm || !runs_kernels_alone(*point))
      continue;
    if (!variant.empty() && point->variant != variant) continue;
    if (quickest == nullptr || point->warm->median_ns < quickest->warm->median_ns) quickest = point;
  }
  ASSERT_NE(quickest, nullptr) << variant;
  workspace.selection.axes = quickest->axes;
  workspace.selection.variant = quickest->variant;
}

// The recorded session of a scene, with the traces that its diagrams show where an engine is built:
// of its first point for `Sizes::all`.
std::unique_ptr<Workspace> shown(const std::string& scene, Sizes sizes = Sizes::small,
                                 const std::string& variant = {}) {
  std::vector<std::string> emulator;
  const std::string engine = built_program("warpscope-engine");
  if (std::filesystem::exists(engine)) emulator = {engine, "--role", "emulate"};
  auto workspace = std::make_unique<Workspace>(std::vector<std::string>{}, emulator);
  const Result<void> opened = workspace->open(recorded_session(scene));
  EXPECT_TRUE(opened) << sentence(opened.error());
  EXPECT_EQ(workspace->scene().name, scene);
  if (sizes != Sizes::all) turn_to_the_quickest_point(*workspace, variant);
  rest(*workspace);
  return workspace;
}

// A theme moves no text, as the views that are looked at in both of them show.
enum class Themes { both, dark };

std::vector<Look> every_look(Themes themes, Sizes sizes) {
  std::vector<Look> looks;
  for (const auto& [width, height, quick_scale] :
       {std::tuple(1280, 720, 1.0f), std::tuple(1600, 900, 2.0f), std::tuple(1920, 1080, 1.0f),
        std::tuple(2560, 1440, 2.0f)}) {
    for (const float scale : {1.0f, 2.0f}) {
      if (sizes != Sizes::all && scale != quick_scale) continue;
      if (sizes == Sizes::small && width > 1600) continue;
      if (sizes == Sizes::smallest && width > 1280) continue;
      looks.push_back({width, height, scale, Theme::dark});
      if (themes == Themes::both) looks.push_back({width, height, scale, Theme::light});
    }
  }
  return looks;
}

// What is wrong with texts, each once: the same one is cut at several sizes.
class Faults {
 public:
  void look_at(const std::vector<DrawnText>& texts, float scale, const std::string& where) {
    for (const DrawnText& text : cut_texts(texts, scale)) say("cut: “" + text.words + "”", where);
    for (const auto& [a, b] : overlaid_texts(texts))
      say("on each other: “" + a.words + "” and “" + b.words + "”", where);
  }
  void say(const std::string& what, const std::string& where) {
    if (said_.insert(what).second) ADD_FAILURE() << what << " (" << where << ")";
  }

 private:
  std::set<std::string> said_;
};

std::string& tab_of(FrameState& state, Region region, bool stacked) {
  if (stacked) return state.stacked_tab;
  return region == Region::centre  ? state.centre_tab
         : region == Region::right ? state.right_tab
                                   : state.bottom_tab;
}

using Fronts = std::vector<std::vector<std::string>>;

// Panels that stand in front together, so that each does once: in regions beside each other, or
// alone where regions are stacked.
Fronts fronts_of(const Workspace& workspace, bool stacked) {
  Fronts fronts;
  for (const Region region : {Region::centre, Region::right, Region::bottom}) {
    std::size_t at = stacked ? fronts.size() : 0;
    for (const PanelRow& panel : all_panels()) {
      if (panel.region != region || !panel.belongs(workspace.view())) continue;
      if (at == fronts.size()) fronts.emplace_back();
      fronts[at++].push_back(panel.name);
    }
  }
  return fronts;
}

// All of them at every look, each front for a few frames.
void check(Workspace& workspace, Themes themes, const std::function<Fronts(bool stacked)>& fronts,
           Sizes sizes = Sizes::small) {
  Faults faults;
  for (const Look& look : every_look(themes, sizes)) {
    NullWindow window(look.width, look.height, look.scale, look.theme);
    const bool stacked = is_stacked(ImGui::GetIO().DisplaySize, look.scale);
    bool axes = false;
    for (const std::vector<std::string>& front : fronts(stacked)) {
      window.state.left_tab = (axes = !axes) ? "axes" : "variants";
      std::string where = look.name();
      for (const std::string& panel : front) {
        tab_of(window.state, find_panel(panel)->region, stacked) = panel;
        where += ", " + panel;
      }
      for (int frame = 0; frame < 4; ++frame) window.step(workspace);
      const std::vector<DrawnText> texts = drawn_texts();
      EXPECT_GT(texts.size(), 20u) << where;
      faults.look_at(texts, look.scale, where);
    }
  }
}

// Two pinned points in the panels that show both; a trace of A comes where an engine is built, and
// nothing is known of a third point.
void check_pairs(Sizes sizes) {
  const auto workspace = shown("csrmm", sizes, "k_tiles");
  Pins& pins = workspace->selection.pins;
  pin_as_a(pins, pin_here(workspace->view(), "warp_row_zero_test"));
  pin_as_b(pins, pin_here(workspace->view(), "k_tiles"));
  const auto check_fronts = [&](const Fronts& beside) {
    Fronts alone;
    for (const std::vector<std::string>& front : beside) {
      for (const std::string& panel : front) alone.push_back({panel});
    }
    check(
        *workspace, Themes::dark, [&](bool stacked) { return stacked ? alone : beside; }, sizes);
  };
  const std::vector<std::string> samples = {"timing", "coalescing", "compare"},
                                 lines = {"sweep", "banks"};
  check_fronts({samples, lines, {"roofline"}});
  for (const auto& pin : {*pins.a, *pins.b}) {
    workspace->requests.ask(request::Trace{pin.variant, {{pin.axes}}});
  }
  rest(*workspace);
  check_fronts({samples, lines});
  workspace->selection.pair = false;
  check_fronts({samples});
}

TEST(TextRectanglesOfPairs, AreInTheirPlacesAndApart) { check_pairs(Sizes::small); }
TEST(SlowTextRectanglesOfPairs, AreInTheirPlacesAndApart) { check_pairs(Sizes::all); }

// A program's launches as a form, as they are and with what cannot run.
TEST(TextRectanglesOfLaunch, AreInTheirPlacesAndApart) {
  const auto workspace = std::make_unique<Workspace>(std::vector<std::string>{});
  const auto opened = workspace->catalogue()->open_file(source_folder() / "assets" / "examples" /
                                                        "programs" / "row_sums.cu");
  ASSERT_TRUE(opened);
  ASSERT_TRUE(workspace->begin_at((*opened)->name));
  rest(*workspace);
  const Fronts front = {{"launch"}};
  check(*workspace, Themes::both, [&](bool) { return front; });
  workspace->selection.variant = "warp_per_row";
  check(*workspace, Themes::dark, [&](bool) { return front; });
}

// Whether a text of code or a log is drawn in a window: they may be scrolled sideways. Tables leave
// columns out instead.
bool may_be_wide(const ImGuiWindow& window) {
  const std::string name = window.Name;
  return name.find("text") != std::string::npos || name.find("listing") != std::string::npos ||
         name.find("log") != std::string::npos;
}

// What is wider than its place though it is none of them.
void look_at_widths(Faults& faults, const std::string& where) {
  for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows) {
    if (window->WasActive && window->ScrollMax.x > 0 && !may_be_wide(*window))
      faults.say(std::string("wider than its place: ") + window->Name, where);
  }
}

// What is higher than its place where no scrollbar and no wheel leads to the rest: the frame of a
// button at the lower edge is cut, whose text may still be whole.
void look_at_heights(Faults& faults, const std::string& where) {
  constexpr float kRounding = 1;
  for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows) {
    const bool scrolls = (window->Flags & ImGuiWindowFlags_NoScrollbar) == 0 || window->ScrollbarY;
    if (window->WasActive && !scrolls && window->ScrollMax.y > kRounding)
      faults.say(std::string("higher than its place: ") + window->Name + " by " +
                     std::to_string(static_cast<int>(window->ScrollMax.y)),
                 where);
  }
}

// Each panel in front once in each layout; where it is closed it is opened. Each layout at one of
// the two sizes, in turn, or for `Sizes::all` at both.
void check_layouts(Workspace& workspace, Sizes sizes) {
  Faults faults;
  for (const Look& look : {Look{1280, 720, 1, Theme::dark}, Look{1600, 900, 2, Theme::dark}}) {
    std::size_t turn = look.scale == 1 ? 0 : 1;
    for (const ShippedLayout& layout : shipped_layouts()) {
      if (turn++ % 2 != 0 && sizes != Sizes::all) continue;
      NullWindow window(look.width, look.height, look.scale, look.theme);
      window.state.docks.present = layout.make();
      window.state.docks.fronts_changed = true;
      for (const PanelRow& panel : all_panels()) {
        if (!panel.belongs(workspace.view())) continue;
        window.state.more_tabs = {panel.name};
        for (int frame = 0; frame < 4; ++frame) window.step(workspace);
        const std::string where = look.name() + ", " + layout.name + ", " + panel.name;
        faults.look_at(drawn_texts(), look.scale, where);
        look_at_widths(faults, where);
        look_at_heights(faults, where);
      }
    }
  }
}

void check_panels(const std::string& scene, Sizes sizes) {
  const auto workspace = shown(scene, sizes);
  check(
      *workspace, scene == "csrmm" ? Themes::both : Themes::dark,
      [&](bool stacked) { return fronts_of(*workspace, stacked); }, sizes);
  check_layouts(*workspace, sizes);
}

class TextRectangles : public testing::TestWithParam<std::string> {};
TEST_P(TextRectangles, AreInTheirPlacesAndApart) { check_panels(GetParam(), Sizes::small); }
class SlowTextRectangles : public testing::TestWithParam<std::string> {};
TEST_P(SlowTextRectangles, AreInTheirPlacesAndApart) { check_panels(GetParam(), Sizes::all); }

INSTANTIATE_TEST_SUITE_P(OfScenes, TextRectangles, kScenes, name_of_scene);
INSTANTIATE_TEST_SUITE_P(SlowOfScenes, SlowTextRectangles, kScenes, name_of_scene);

std::string without_spaces(std::string words) {
  std::erase(words, ' ');
  return words;
}

// Medians and quartiles are figures: an ellipsis in place of them hides what Timing is for.
void look_at_timing(const Workspace& workspace, const std::string& variant, Faults& faults,
                    const std::string& where) {
  const Measurement* point = workspace.view().state(variant).point;
  ASSERT_NE(point, nullptr) << variant;
  std::string drawn;
  for (const DrawnText& text : drawn_texts()) drawn += without_spaces(text.words) + "\n";
  for (const std::optional<Timing>& timing : {point->cold, point->warm}) {
    if (!timing) continue;
    for (const std::string& wanted : {": " + format_value(timing->median_ns, "ns"),
                                      "quartiles " + format_value(timing->first_quartile_ns, "ns") +
                                          " to " + format_value(timing->third_quartile_ns, "ns")}) {
      if (drawn.find(without_spaces(wanted)) == std::string::npos)
        faults.say("not to be read: “" + wanted + "” of " + variant, where);
    }
  }
}

// Beside a baseline, in each layout.
TEST(TextRectanglesOfTiming, HaveMediansAndQuartilesWhole) {
  const auto workspace = std::make_unique<Workspace>(std::vector<std::string>{});
  ASSERT_TRUE(workspace->open(recorded_session("csrmm")));
  const std::string baseline = workspace->selection.variant, focus = "warp_row_branch_free";
  workspace->selection.variant = focus;
  workspace->update();
  Faults faults;
  for (const Look& look : {Look{1280, 720, 1, Theme::dark}, Look{1600, 900, 1, Theme::dark},
                           Look{1600, 900, 2, Theme::dark}, Look{1920, 1080, 1, Theme::dark}}) {
    for (const ShippedLayout& layout : shipped_layouts()) {
      NullWindow window(look.width, look.height, look.scale, look.theme);
      window.state.docks.present = layout.make();
      window.state.docks.fronts_changed = true;
      window.state.more_tabs = {"timing"};
      for (int frame = 0; frame < 4; ++frame) window.step(*workspace);
      const std::string where = look.name() + ", " + layout.name;
      for (const std::string& variant : {baseline, focus})
        look_at_timing(*workspace, variant, faults, where);
    }
  }
}

// What stands over the panels, by the name of its window, and how it is opened.
struct Dialog {
  const char* window;
  void (*open)(const Workspace&, FrameState&);
};

constexpr Dialog kDialogs[] = {
    {"Keys", [](const Workspace&, FrameState& state) { state.help.open = true; }},
    {"##Popup", [](const Workspace& w, FrameState& state) { toggle_lessons(w, state); }},
    {"##Popup", [](const Workspace& w, FrameState& state) { open_palette(w, state); }},
    {"##Popup", [](const Workspace&, FrameState& state) { toggle_capture(state); }},
    {"##Popup", [](const Workspace&, FrameState& state) { state.docks.menu.wanted = true; }},
    {"Open",
     [](const Workspace&, FrameState& state) { show_open_dialog(state, FileKind::session); }},
    {"Capture a running program",
     [](const Workspace&, FrameState& state) { show_program_capture(state); }},
    {"notices",
     [](const Workspace&, FrameState& state) {
       toast(state, "wrote warpscope-window.png");
       toast(state, "there is no trace of this variant to write: press trace in Coalescing");
     }},
};

// The roots of their windows are not the panels' own, below which other texts are covered.
bool is_of(const DrawnText& text, const std::string& window) {
  return std::string(text.list->_OwnerName).rfind(window, 0) == 0;
}

TEST(TextRectanglesOverPanels, AreInTheirPlacesAndApart) {
  const auto workspace = shown("csrmm");
  Faults faults;
  for (const Look& look : every_look(Themes::both, Sizes::small)) {
    for (const Dialog& dialog : kDialogs) {
      NullWindow window(look.width, look.height, look.scale, look.theme);
      window.step(*workspace);
      dialog.open(*workspace, window.state);
      for (int frame = 0; frame < 5; ++frame) window.step(*workspace);
      std::vector<DrawnText> texts = drawn_texts();
      std::erase_if(texts, [&](const DrawnText& text) { return !is_of(text, dialog.window); });
      const std::string where = look.name() + ", " + dialog.window;
      EXPECT_FALSE(texts.empty()) << where;
      faults.look_at(texts, look.scale, where);
      const Box display{0, 0, static_cast<float>(look.width), static_cast<float>(look.height)};
      for (const ImGuiWindow* shown : ImGui::GetCurrentContext()->Windows) {
        const ImRect box = shown->Rect();
        if (shown->Active && shown->ParentWindow == nullptr && !shown->Hidden &&
            !holds(display, {box.Min.x, box.Min.y, box.Max.x, box.Max.y}))
          faults.say(std::string("beyond the window: ") + shown->Name, where);
      }
    }
  }
}

void check_lesson(Sizes sizes) {
  const auto workspace = shown("csrmm");
  Faults faults;
  for (const Look& look : every_look(Themes::dark, sizes)) {
    NullWindow window(look.width, look.height, look.scale, look.theme);
    Presenter presenter;
    window.state.lesson_wish = source_folder() / "assets/lessons/csrmm.json";
    do {
      // What a step asks for has come, and its frame is laid out for it.
      for (int frame = 0, still = 0; still < 4 && frame < 1000; ++frame) {
        presenter.update(*workspace, window.state);
        window.step(*workspace);
        still = workspace->view().progress().busy ? 0 : still + 1;
        if (still == 0) workspace->wait(0.05);
      }
      const std::string where = look.name() + ", step " + std::to_string(window.state.lesson_step);
      faults.look_at(drawn_texts(), look.scale, where);
      window.state.lesson_move = 1;
    } while (window.state.lesson_step < window.state.lesson_steps);
    EXPECT_GT(window.state.lesson_steps, 3);
    window.state.lesson_leave = true;
    presenter.update(*workspace, window.state);
  }
}

TEST(TextRectanglesOfLessons, AreInTheirPlacesAndApart) { check_lesson(Sizes::smallest); }
TEST(SlowTextRectanglesOfLessons, AreInTheirPlacesAndApart) { check_lesson(Sizes::all); }

// Every panel alone, in both themes.
class TextContrast : public testing::TestWithParam<std::string> {};

TEST_P(TextContrast, IsLegibleInEveryPanelAndBothThemes) {
  constexpr double kLegible = 4.5;  // source: WCAG 2.2, 1.4.3
  constexpr int kAWord = 3;         // a letter beside a marker may lie on its rim
  Workspace workspace({});
  ASSERT_TRUE(workspace.open(recorded_session(GetParam())));
  for (const Theme theme : {Theme::dark, Theme::light}) {
    NullWindow window(1280, 720, 1, theme);
    std::set<std::pair<ImU32, ImU32>> said;
    int letters = 0;
    for (const PanelRow& panel : all_panels()) {
      if (!panel.belongs(workspace.view())) continue;
      window.panel(workspace, panel.name);
      for (const auto& [colours, pair] : ink_of_last_frame(clear_colour())) {
        letters += pair.letters;
        const double ratio = contrast_ratio(colours.first, colours.second);
        if (pair.letters < kAWord || ratio >= kLegible || !said.insert(colours).second) continue;
        ADD_FAILURE() << panel.name << (theme == Theme::dark ? ", dark: " : ", light: ") << ratio
                      << std::hex << " of 0x" << colours.first << " on 0x" << colours.second
                      << std::dec << ", " << pair.letters << " letters, the first at "
                      << pair.place.x << ", " << pair.place.y;
      }
    }
    EXPECT_GT(letters, 2000) << "they were found";
  }
}

INSTANTIATE_TEST_SUITE_P(OfScenes, TextContrast, kScenes, name_of_scene);

}  // namespace
}  // namespace warpscope
