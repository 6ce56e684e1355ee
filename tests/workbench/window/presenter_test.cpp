// tests/workbench/window/presenter_test.cpp: lessons in the window: opened from the list, stepped,
// left; the strip, a maximised panel, the spotlight.
#include "workbench/window/presenter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "profiling/figures/metric.h"
#include "scenes/catalogue.h"
#include "tests/folders.h"
#include "tests/workbench/window/drawn_text.h"
#include "tests/workbench/window/null_window.h"
#include "workbench/drawing/svg.h"
#include "workbench/window/maximised.h"
#include "workbench/window/strip.h"

namespace warpscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::filesystem::path lesson_file(const char* name) {
  return source_folder() / "assets" / "lessons" / name;
}

// A window on the recorded session of csrmm, with a presenter.
struct Stage {
  explicit Stage(int width = 1280, int height = 720, float scale = 1)
      : window(width, height, scale), workspace({}) {
    EXPECT_TRUE(workspace.open(*recorded_session_of("csrmm")));
    frames(4);
  }
  std::string frames(int count = 1) {
    std::string words;
    for (int i = 0; i < count; ++i) {
      workspace.update();
      presenter.update(workspace, window.state);
      words = window.frame(
          [&] { draw_workbench(workspace, window.panels, window.style, window.state); });
    }
    return words;
  }
  // A key goes down for one frame; the words after it has settled.
  std::string press(ImGuiKey key) {
    window.hold_named(key, true);
    frames();
    window.hold_named(key, false);
    return frames(4);
  }
  std::string play(const char* name) {
    window.state.lesson_wish = lesson_file(name);
    return frames(6);
  }
  // All words that a frame draws, dialogs too: a frame's log ends with its first window.
  std::string drawn() {
    ImGuiStyle& look = ImGui::GetStyle();
    look.AntiAliasedLines = look.AntiAliasedFill = false;
    frames(2);
    const Result<std::string> svg = svg_of(*ImGui::GetDrawData(), 0, window.style.mono.font);
    return svg ? *svg : sentence(svg.error());
  }
  NullWindow window;
  Workspace workspace;
  Presenter presenter;
};

TEST(Presenter, LIsOfTheGpuAndTogglesNothingInARecordedSession) {
  Stage stage;
  stage.press(ImGuiKey_L);
  EXPECT_TRUE(stage.workspace.selection.live);
  EXPECT_THAT(stage.drawn(), HasSubstr("there is no GPU here to measure on"));
}

TEST(Presenter, ListsEveryShippedLessonWithItsSceneStepsAndMinutes) {
  Stage stage;
  toggle_lessons(stage.workspace, stage.window.state);
  const std::string words = stage.drawn();
  const std::vector<LessonOutline> lessons = shipped_lessons();
  ASSERT_GE(lessons.size(), 5u);
  for (const LessonOutline& lesson : lessons) {
    EXPECT_EQ(lesson.broken, "");
    EXPECT_GE(lesson.minutes, 1) << lesson.path;
    EXPECT_LE(lesson.minutes, 15) << lesson.path;
    EXPECT_THAT(words, HasSubstr(lesson.title));
  }
  EXPECT_THAT(words, AllOf(HasSubstr("minutes"), HasSubstr("the session at hand"),
                           HasSubstr("h200-patterns.wsj.gz")));
}

TEST(Presenter, StartsTheChosenLessonWithEnterAndClosesTheListWithEscape) {
  Stage stage;
  toggle_lessons(stage.workspace, stage.window.state);
  stage.frames(2);
  stage.press(ImGuiKey_Escape);
  EXPECT_FALSE(stage.window.state.lessons.open);
  EXPECT_EQ(stage.window.state.lesson_steps, 0);
  EXPECT_THAT(stage.drawn(), Not(HasSubstr("Enter or a click starts one")));
  toggle_lessons(stage.workspace, stage.window.state);
  stage.frames(2);
  const LessonList& list = stage.window.state.lessons;
  EXPECT_EQ(list.rows.at(static_cast<std::size_t>(list.chosen)).scene, "csrmm");
  const std::string title = list.rows.at(static_cast<std::size_t>(list.chosen) + 1).title;
  stage.press(ImGuiKey_DownArrow);
  const std::string words = stage.press(ImGuiKey_Enter);
  EXPECT_FALSE(stage.window.state.lessons.open);
  EXPECT_EQ(stage.window.state.lesson_title, title);
  EXPECT_EQ(stage.window.state.lesson_step, 1);
  EXPECT_THAT(words, AllOf(HasSubstr(title), HasSubstr("step 1 of"), HasSubstr("back  B"),
                           HasSubstr("next  N"), HasSubstr("leave  Esc")));
}

TEST(Presenter, SaysWhatIsWrongWithALessonThatCannotBePlayed) {
  Stage stage;
  const std::filesystem::path broken =
      std::filesystem::temp_directory_path() / ("broken-" + std::to_string(::getpid()) + ".json");
  std::ofstream(broken) << R"({"scene": "csrm", "steps": [{"text": "a"}]})";
  stage.window.state.lesson_wish = broken;
  stage.frames(3);
  ASSERT_EQ(stage.window.state.notices.shown.size(), 1u);
  EXPECT_THAT(stage.window.state.notices.shown[0].words, HasSubstr("there is no scene “csrm”"));
  EXPECT_FALSE(stage.presenter.plays());
  std::filesystem::remove(broken);
  toggle_lessons(stage.workspace, stage.window.state);
  stage.window.state.lessons.rows = {{"x.json", "x.json", "", 0, 0, "x.json: is not a lesson"}};
  EXPECT_THAT(stage.drawn(), HasSubstr("x.json: is not a lesson"));
  stage.press(ImGuiKey_Enter);
  EXPECT_TRUE(stage.window.state.lessons.open);
}

TEST(Presenter, PageKeysStepALessonAndChooseVariantsOnlyWithoutOne) {
  Stage stage;
  const std::string before = stage.workspace.selection.variant;
  stage.press(ImGuiKey_PageDown);
  EXPECT_NE(stage.workspace.selection.variant, before);
  stage.press(ImGuiKey_PageUp);
  EXPECT_EQ(stage.workspace.selection.variant, before);
  stage.play("csrmm.json");
  const Lesson lesson = read_lesson(lesson_file("csrmm.json")).value();
  for (std::size_t at = 0; at < lesson.steps.size(); ++at) {
    EXPECT_EQ(stage.window.state.lesson_step, static_cast<int>(at) + 1);
    EXPECT_EQ(stage.workspace.selection.variant, lesson.steps[at].variant);
    stage.press(ImGuiKey_PageDown);
  }
  // After the last step there is none, and no variant either.
  EXPECT_EQ(stage.window.state.lesson_step, static_cast<int>(lesson.steps.size()));
  EXPECT_EQ(stage.workspace.selection.variant, lesson.steps.back().variant);
  stage.press(ImGuiKey_PageUp);
  EXPECT_EQ(stage.window.state.lesson_step, static_cast<int>(lesson.steps.size()) - 1);
  stage.window.hold('N', true);
  stage.frames();
  stage.window.hold('N', false);
  stage.frames(2);
  EXPECT_EQ(stage.window.state.lesson_step, static_cast<int>(lesson.steps.size()));
}

TEST(Presenter, PlaysALessonWhoseSceneIsAFolderWithTheJournalThatLiesThere) {
  Stage stage;
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("folder-" + std::to_string(::getpid()) + ".json");
  std::ofstream(file) << R"({"title": "t", "folder": "examples/eight_iterations", "steps": [
      {"text": "a", "variant": "quads", "panel": "roofline", "path": true},
      {"text": "b", "spotlight": {"line": "value[i] = x[i * kThreads]"}},
      {"text": "c", "path": true}]})";
  stage.window.state.lesson_wish = file;
  stage.frames(6);
  std::filesystem::remove(file);
  EXPECT_EQ(stage.workspace.scene().name, "eight_iterations");
  EXPECT_EQ(stage.workspace.selection.variant, "quads");
  EXPECT_EQ(stage.workspace.view().journals.own().size(), 8u);
  const bool& path = stage.window.panels.roofline.path;
  EXPECT_TRUE(path);
  stage.press(ImGuiKey_PageDown);
  EXPECT_FALSE(path) << "the step does not ask for it";
  stage.press(ImGuiKey_PageDown);
  EXPECT_TRUE(path);
  stage.press(ImGuiKey_Escape);
  EXPECT_FALSE(path);
  EXPECT_EQ(stage.workspace.scene().name, "csrmm");
}

TEST(Presenter, LeavingBringsBackWhatTheWindowShowed) {
  Stage stage;
  Selection& selection = stage.workspace.selection;
  FrameState& state = stage.window.state;
  selection.variant = "float4_columns";
  selection.axes = with_values(stage.workspace.scene().axes, selection.axes, {{"n", "64"}}).value();
  state.more_tabs = {"timing", "banks", "source"};
  stage.frames(4);
  const std::string key = stage.workspace.view().key(),
                    session = stage.workspace.view().opened.recorded_name();
  ASSERT_EQ(state.centre_tab, "timing");
  for (const char* name : {"csrmm.json", "coalescing.json"}) {
    stage.play(name);
    EXPECT_TRUE(stage.presenter.plays());
    for (int i = 0; i < 3; ++i) stage.press(ImGuiKey_PageDown);
    // A step may have maximised a panel, which Esc brings back first.
    for (int i = 0; i < 2 && stage.presenter.plays(); ++i) stage.press(ImGuiKey_Escape);
    EXPECT_FALSE(stage.presenter.plays());
    EXPECT_EQ(state.lesson_steps, 0);
    EXPECT_EQ(stage.workspace.scene().name, "csrmm") << name;
    EXPECT_EQ(selection.variant, "float4_columns") << name;
    EXPECT_EQ(stage.workspace.view().key(), key) << name;
    EXPECT_EQ(stage.workspace.view().opened.recorded_name(), session) << name;
    EXPECT_EQ(state.centre_tab, "timing") << name;
    EXPECT_EQ(state.right_tab, "banks") << name;
    EXPECT_EQ(state.bottom_tab, "source") << name;
  }
}

// The words stand below the panels, in type of at least 2.2 % of the window's height, and nothing
// moves from step to step.
TEST(Presenter, TheStripCoversNothingAndKeepsItsPlace) {
  struct Look {
    int width, height;
    float scale;
  };
  for (const Look look : {Look{1280, 720, 1}, Look{1920, 1080, 1}, Look{1280, 720, 2}}) {
    for (const char* name : {"csrmm.json", "coalescing.json"}) {
      Stage stage(look.width, look.height, look.scale);
      stage.play(name);
      const float high = static_cast<float>(look.height);
      EXPECT_GE(stage.window.state.strip.size, std::floor(0.022f * high)) << look.height;
      const Box first = stage.window.state.strip.box;
      EXPECT_GT(first.height(), 2 * stage.window.state.strip.size);
      EXPECT_LE(first.height(), 0.42f * high) << look.height << " × " << look.scale;
      for (int step = 0; step < 3; ++step) {
        for (const auto& [panel, box] : stage.window.state.boxes) {
          EXPECT_TRUE(overlap(box, first).empty()) << panel << " below the strip";
        }
        stage.press(ImGuiKey_PageDown);
        EXPECT_EQ(stage.window.state.strip.box, first) << name << " step " << step + 2;
      }
    }
  }
}

void expect_room_in_the_strip(int width, int height) {
  Stage stage(width, height);  // one lesson after the other: few of them open another session
  FrameState& state = stage.window.state;
  for (const LessonOutline& outline : shipped_lessons()) {
    state.lesson_wish = outline.path;
    stage.frames(6);
    for (std::size_t step = 1; step <= outline.steps; ++step) {
      ASSERT_EQ(state.lesson_step, static_cast<int>(step)) << outline.path.filename();
      EXPECT_LE(state.strip.overflow, 0)
          << outline.path.filename() << " step " << step << " at " << width;
      state.lesson_move = 1;
      stage.frames(3);
    }
  }
}

TEST(Presenter, TheStripHasRoomForEveryShippedStepAtTheSmallestSize) {
  expect_room_in_the_strip(1280, 720);
}
TEST(SlowPresenter, TheStripHasRoomForEveryShippedStepAtALargerSize) {
  expect_room_in_the_strip(1600, 900);
}

// Moves the pointer along the strip's last row until the words hold `hint`, and clicks there.
void click_offer(Stage& stage, const std::string& hint) {
  const Box strip = stage.window.state.strip.box;
  for (float x = strip.x0; x < strip.x1; x += 20) {  // less than a button is wide
    stage.window.move_mouse(x, strip.y1 - 22 * stage.window.style.scale);
    stage.frames(2);
    if (stage.drawn().find(hint) == std::string::npos) continue;
    stage.window.hold_mouse(0, true);
    stage.frames(2);
    stage.window.hold_mouse(0, false);
    stage.frames(4);
    return;
  }
  ADD_FAILURE() << "nothing in the strip says “" << hint << "”";
}

TEST(Presenter, TheFirstLookHasFourStepsAndOffersWhereToGoOn) {
  Stage stage;
  EXPECT_THAT(stage.play("first_look.json"),
              AllOf(HasSubstr("step 1 of 4"), Not(HasSubstr("open my kernel"))));
  for (int step = 2; step <= 4; ++step) stage.press(ImGuiKey_PageDown);
  EXPECT_THAT(stage.frames(2), AllOf(HasSubstr("step 4 of 4"), HasSubstr("a lesson"),
                                     HasSubstr("deform"), HasSubstr("open my kernel")));
  const Box stride = stage.window.state.spotlight.box;
  EXPECT_GT(stride.height(), 30) << "the axis that it points at has come into sight";
  EXPECT_EQ(overlap(stride, stage.window.state.boxes.at("axes")), stride);
  click_offer(stage, (*built_in_catalogue().find("led"))->title);
  EXPECT_EQ(stage.workspace.scene().name, "led");
  EXPECT_EQ(stage.window.state.lesson_steps, 0);
  EXPECT_EQ(stage.workspace.view().opened.opened(), std::vector{*recorded_session_of("led")});
}

// A figure far down in a group that is folded.
TEST(Presenter, AStepLightsTheRowOfItsMetric) {
  Stage stage;
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("lit-" + std::to_string(::getpid()) + ".json");
  std::ofstream(file) << R"({"title": "t", "scene": "csrmm", "steps": [
      {"text": "a", "panel": "metrics"},
      {"text": "b", "panel": "metrics", "spotlight": {"metric": "l1.wavefronts"}}]})";
  stage.window.state.lesson_wish = file;
  const std::string row = find_metric("l1.wavefronts")->label;
  const auto is_row = [&row](const DrawnText& text) { return text.words.find(row) == 0; };
  stage.frames(6);
  std::vector<DrawnText> texts = drawn_texts();
  EXPECT_TRUE(std::none_of(texts.begin(), texts.end(), is_row)) << "it is folded away";
  EXPECT_TRUE(stage.window.state.spotlight.box.empty());
  stage.press(ImGuiKey_PageDown);
  stage.frames(4);
  std::filesystem::remove(file);
  texts = drawn_texts();
  const auto lit = std::find_if(texts.begin(), texts.end(), is_row);
  ASSERT_NE(lit, texts.end()) << "its group is open, and it has come into sight";
  const Box light = stage.window.state.spotlight.box, words = lit->letters.front().box;
  EXPECT_EQ(overlap(light, stage.window.state.boxes.at("metrics")), light);
  EXPECT_EQ(overlap(light, words), words) << "the light is on the row";
  EXPECT_LT(light.height(), 3 * words.height()) << "and on no other one";
}

TEST(Presenter, TheFirstLookOffersTheListAndTheDialogs) {
  Stage stage;
  for (const char* hint : {"The list of lessons", "A .cu file, or a folder with a scene.toml",
                           "A kernel of a program that runs on a GPU"}) {
    stage.play("first_look.json");
    for (int step = 2; step <= 4; ++step) stage.press(ImGuiKey_PageDown);
    click_offer(stage, hint);
    EXPECT_EQ(stage.window.state.lesson_steps, 0) << hint;
    EXPECT_EQ(stage.workspace.scene().name, "csrmm") << "leaving brings back what was shown";
    const bool captures = stage.window.state.open.program.shown;
    EXPECT_EQ(stage.window.state.lessons.open + stage.window.state.open.shown + captures, 1)
        << hint;
    stage.window.state.lessons.open = stage.window.state.open.shown = false;
    stage.window.state.open.program.shown = false;
    stage.frames(3);
  }
}

TEST(Presenter, ASceneChosenAtTheEndOfTheFirstLookStaysAndEndsIt) {
  Stage stage;
  stage.play("first_look.json");
  for (int step = 2; step <= 4; ++step) stage.press(ImGuiKey_PageDown);
  ASSERT_EQ(stage.window.state.lesson_step, 4);
  stage.workspace.selection.scene = "led";
  stage.frames(4);
  EXPECT_EQ(stage.window.state.lesson_steps, 0) << "its strip would speak of another scene";
  EXPECT_EQ(stage.workspace.scene().name, "led");
}

TEST(Presenter, APanelIsMaximisedByF11AndBroughtBackByEscape) {
  Stage stage;
  FrameState& state = stage.window.state;
  const Box banks = state.boxes.at("coalescing");
  stage.window.move_mouse(banks.x0 + 20, banks.y0 + 20);
  stage.frames(2);
  toggle_maximised(state);
  stage.window.move_mouse(-1, -1);
  EXPECT_THAT(stage.frames(3), HasSubstr("all panels"));
  EXPECT_EQ(state.maximised, "coalescing");
  EXPECT_EQ(state.boxes.size(), 1u);
  EXPECT_GT(state.boxes.at("coalescing").area(), 0.75f * 1280 * 720);
  // A tab of another column takes its place.
  state.wanted_tab = "metrics";
  stage.frames(3);
  EXPECT_EQ(state.maximised, "metrics");
  EXPECT_GT(state.boxes.at("metrics").area(), 0.75f * 1280 * 720);
  stage.press(ImGuiKey_Escape);
  EXPECT_EQ(state.maximised, "");
  EXPECT_GE(state.boxes.size(), 5u);
  EXPECT_EQ(state.boxes.at("coalescing"), banks);
}

TEST(Presenter, APanelIsMaximisedByADoubleClickOnItsTab) {
  Stage stage;
  FrameState& state = stage.window.state;
  const Box panel = state.boxes.at("coalescing");
  const auto double_click = [&](float x, float y) {
    stage.window.move_mouse(x, y);
    stage.frames(2);
    for (const bool down : {true, false, true, false}) {
      stage.window.hold_mouse(0, down);
      stage.frames();
    }
    stage.window.move_mouse(-1, -1);
    stage.frames(40);  // the next double click is another one
  };
  double_click(panel.x0 + 30, panel.y0 - 6);
  EXPECT_EQ(state.maximised, "coalescing");
  const Box whole = state.boxes.at("coalescing");
  double_click(whole.x0 + 30, whole.y0 - 6);
  EXPECT_EQ(state.maximised, "");
}

TEST(Presenter, AStepOpensTheColumnsOfSourceThatItNames) {
  using enum SourceColumn;
  Stage stage;
  SourcePanel& source = stage.window.panels.source;
  const std::vector<SourceColumn> before = {ptx, text, machine_code};
  source.open = before;
  const std::filesystem::path file =
      std::filesystem::path(testing::TempDir()) / "columns_of_source.json";
  std::ofstream(file) << R"({"title": "Columns", "scene": "csrmm", "steps": [
      {"text": "One.", "variant": "float4_columns", "panel": "source",
       "spotlight": {"line": "blockIdx.x"}},
      {"text": "Two.", "panel": "source", "columns": ["cuda", "sass"]},
      {"text": "Three.", "panel": "metrics"}]})";
  stage.window.state.lesson_wish = file;
  stage.frames(6);
  EXPECT_EQ(source.open, std::vector<SourceColumn>{text}) << "the text has all of the room";
  ASSERT_GT(source.chosen, 0) << "its instructions are followed to";
  EXPECT_THAT(source.lines.at(static_cast<std::size_t>(source.chosen - 1)),
              HasSubstr("blockIdx.x"));
  stage.press(ImGuiKey_PageDown);
  EXPECT_EQ(source.open, (std::vector<SourceColumn>{text, machine_code}));
  stage.press(ImGuiKey_PageDown);
  stage.press(ImGuiKey_Escape);
  EXPECT_EQ(source.open, before);
  std::filesystem::remove(file);
}

TEST(Presenter, TheSpotlightFallsOnALineAMetricAndAPanel) {
  for (const char* file : {"csrmm.json", "deform.json"}) {
    Stage stage;
    FrameState& state = stage.window.state;
    stage.play(file);
    const Lesson lesson = read_lesson(lesson_file(file)).value();
    int lit = 0;
    for (const LessonStep& step : lesson.steps) {
      if (step.spotlight.any() && step.spotlight.panel.empty()) {
        ++lit;
        const std::string panel = step.spotlight.line.empty() ? "metrics" : "source";
        const std::string which = std::string(file) + ": " + step.spotlight.metric;
        ASSERT_EQ(state.bottom_tab, panel) << which;
        EXPECT_FALSE(state.spotlight.box.empty()) << which;
        EXPECT_GE(state.spotlight.box.height(), ImGui::GetTextLineHeight()) << which << ": whole";
        EXPECT_TRUE(holds(state.boxes.at(panel), state.spotlight.box)) << which;
      } else if (!step.spotlight.any()) {
        EXPECT_TRUE(state.spotlight.box.empty()) << file;
      }
      stage.press(ImGuiKey_PageDown);
    }
    EXPECT_GE(lit, 2) << file;
  }
}

}  // namespace
}  // namespace warpscope
