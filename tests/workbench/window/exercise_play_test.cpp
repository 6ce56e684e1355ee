// tests/workbench/window/exercise_play_test.cpp: an exercise in the window: its text, hints and
// goals, a save, its grade, and the access at which a goal is missed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "tests/folders.h"
#include "tests/workbench/window/drawn_text.h"
#include "tests/workbench/window/null_window.h"
#include "tests/workbench/workspace/finish_work.h"
#include "workbench/workspace/scene/exercise_run.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string text_in(const fs::path& path) {
  std::ifstream stream(path);
  return {std::istreambuf_iterator<char>(stream), {}};
}
void write_text(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }

// A copy of the exercise saxpy.
class ExercisePlayTest : public testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(folder_);
    fs::create_directories(folder_.parent_path());
    fs::copy(source_folder() / "assets" / "exercises" / "saxpy", folder_);
  }
  void TearDown() override { fs::remove_all(folder_.parent_path()); }

  // A program in place of warpscope, as a shell's script.
  std::string program(const std::string& script) const {
    const fs::path path = folder_.parent_path() / "program";
    write_text(path, "#!/bin/sh\n" + script);
    fs::permissions(path, fs::perms::owner_all);
    return path.string();
  }
  std::unique_ptr<ExerciseRun> opened(const std::string& script) const {
    auto run = ExerciseRun::open(folder_, program(script));
    EXPECT_TRUE(run) << sentence(run.error());
    return std::move(*run);
  }
  template <typename Reached>
  static bool wait(ExerciseRun& run, const Reached& reached) {
    const auto begin = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - begin < std::chrono::seconds(60)) {
      run.update();
      if (reached()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }

  const fs::path folder_ =
      fs::path(testing::TempDir()) / ("exercise_play_" + std::to_string(::getpid())) / "saxpy";
};

constexpr const char* kGrade =
    R"(echo '{"type": "grade", "verdict": "missed", "reason": "", "points": 4, "of": 10, "goals": [)"
    R"({"goal": "right at every size", "outcome": "met", "found": "right", "points": 4, "of": 4},)"
    R"({"goal": "g", "outcome": "missed", "found": "16", "line": 8, "file": "saxpy.cu"}]}')";

TEST_F(ExercisePlayTest, ASavedKernelIsGradedAndAnotherSaveBeginsAnew) {
  const std::string log = (folder_.parent_path() / "log").string();
  const auto run = opened("echo \"$*\" >> " + log + "\n" + kGrade + "\n");
  EXPECT_FALSE(run->is_grading());
  EXPECT_EQ(run->grade(), nullptr);
  ASSERT_TRUE(wait(*run, [&] { return run->grade() != nullptr; })) << run->trouble();
  EXPECT_FALSE(run->is_grading());
  EXPECT_EQ(run->grade()->points, 4);
  ASSERT_EQ(run->grade()->goals.size(), 2U);
  EXPECT_TRUE(run->grade()->goals[0].is_met());
  EXPECT_TRUE(run->grade()->goals[1].is_missed());
  EXPECT_EQ(run->grade()->goals[1].line, 8);
  const std::string once = text_in(log);
  EXPECT_THAT(once, AllOf(HasSubstr("grade " + folder_.string()), HasSubstr("--json")));
  // The same text is not graded again; another one is.
  const auto begin = std::chrono::steady_clock::now();
  wait(*run, [&] { return std::chrono::steady_clock::now() - begin > std::chrono::seconds(1); });
  EXPECT_EQ(text_in(log), once);
  write_text(run->kernel(), text_in(run->kernel()) + "// another line\n");
  EXPECT_TRUE(wait(*run, [&] { return text_in(log).size() > once.size(); }));
}

TEST_F(ExercisePlayTest, ProgressIsSaidWhileItRuns) {
  const auto run = opened("echo 'progress 3 12 outputs at every size' >&2\nexec sleep 60\n");
  ASSERT_TRUE(wait(*run, [&] { return run->progress().ratio > 0; }));
  EXPECT_EQ(run->progress().ratio, 0.25);
  EXPECT_EQ(run->progress().words, "outputs at every size");
  EXPECT_TRUE(run->is_grading());
}

TEST_F(ExercisePlayTest, WhatKeepsItFromBeingGradedIsSaid) {
  const auto run = opened("echo 'progress 1 2 x' >&2\necho 'no such kernel; name one' >&2\nexit 2");
  ASSERT_TRUE(wait(*run, [&] { return !run->trouble().empty(); }));
  EXPECT_EQ(run->trouble(), "no such kernel; name one");
  const auto missing = ExerciseRun::open(folder_, "/nonexistent/warpscope");
  ASSERT_TRUE(missing);
  ASSERT_TRUE(wait(**missing, [&] { return !(*missing)->trouble().empty(); }));
  EXPECT_FALSE(ExerciseRun::open(folder_.parent_path()));
  for (const char* broken :
       {"", "[]", "{\"type\": \"grade\"}", "{\"type\": \"grade\", \"goals\": 4}",
        "{\"type\": \"grade\", \"goals\": [{\"line\": \"x\"}]}"})
    EXPECT_FALSE(parse_grade(broken)) << broken;
}

// With the real grade, from the starter to a solution.
TEST_F(ExercisePlayTest, AStudentIsLedFromTheStarterToTheSolution) {
  const std::string engine = built_program("warpscope-engine");
  if (!fs::exists(engine)) GTEST_SKIP() << "the engine is not built";
  Workspace workspace({}, {engine, "--role", "emulate"});
  NullWindow window(1600, 900);
  const auto scene = workspace.catalogue()->open_folder(folder_);
  ASSERT_TRUE(scene) << sentence(scene.error());
  ASSERT_TRUE(workspace.choose_scene((*scene)->name));
  std::string words = window.window(workspace);
  EXPECT_EQ(workspace.selection.variant, "yours");
  EXPECT_THAT(words, AllOf(HasSubstr("saxpy: coalesced loads and stores"), HasSubstr("Next hint"),
                           HasSubstr("right at every size"), Not(HasSubstr("Hint 1:"))));
  ASSERT_NE(window.panels.exercise.run, nullptr);
  ExerciseRun& run = *window.panels.exercise.run;
  EXPECT_TRUE(run.is_grading());
  ASSERT_TRUE(wait(run, [&] { return !run.is_grading(); }));
  ASSERT_NE(run.grade(), nullptr) << run.trouble();
  if (run.grade()->verdict == "refused") GTEST_SKIP() << run.grade()->reason;
  finish_work(workspace);
  words = window.window(workspace);
  EXPECT_THAT(words, AllOf(HasSubstr("✕ not yet"), HasSubstr("✔ met"), HasSubstr("5 of 10 points"),
                           HasSubstr("show saxpy.cu:8")));
  run.ask_hint();
  EXPECT_THAT(window.window(workspace), HasSubstr("Hint 1: In one request"));
  for (int i = 0; i < 9; ++i) run.ask_hint();
  EXPECT_THAT(window.window(workspace), HasSubstr("There are no more hints."));
  write_text(run.kernel(),
             text_in(source_folder() / "tests" / "exercises" / "saxpy" / "solution.cu"));
  ASSERT_TRUE(wait(run, [&] { return run.is_grading(); }));
  ASSERT_TRUE(wait(run, [&] { return !run.is_grading(); }));
  ASSERT_NE(run.grade(), nullptr) << run.trouble();
  EXPECT_TRUE(run.grade()->is_met());
  EXPECT_THAT(window.window(workspace),
              AllOf(HasSubstr("✔ Done: every goal is met"), Not(HasSubstr("not yet"))));
}

// A click away: the diagram turns to the access of the line that the goal names.
TEST_F(ExercisePlayTest, AMissedGoalLeadsToItsAccess) {
  const std::string engine = built_program("warpscope-engine");
  if (!fs::exists(engine)) GTEST_SKIP() << "the engine is not built";
  Workspace workspace({}, {engine, "--role", "emulate"});
  NullWindow window(1600, 1400);
  const auto scene = workspace.catalogue()->open_folder(folder_);
  ASSERT_TRUE(scene) << sentence(scene.error());
  ASSERT_TRUE(workspace.choose_scene((*scene)->name));
  window.window(workspace);
  ASSERT_NE(window.panels.exercise.run, nullptr);
  ExerciseRun& run = *window.panels.exercise.run;
  ASSERT_TRUE(wait(run, [&] { return run.grade() != nullptr || !run.is_grading(); }));
  finish_work(workspace);
  window.window(workspace);
  window.step(workspace);
  const std::vector<DrawnText> texts = drawn_texts();
  const auto shown = std::find_if(texts.begin(), texts.end(), [](const DrawnText& text) {
    return text.words.starts_with("show saxpy");
  });
  ASSERT_NE(shown, texts.end()) << "no goal leads to its access";
  workspace.selection.trace.zoom = TraceZoom::grid;
  const Box box = shown->box();
  window.move_mouse((box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2);
  for (const bool down : {false, true, false, false}) {
    window.hold_mouse(0, down);
    window.step(workspace);
  }
  EXPECT_EQ(workspace.selection.trace.zoom, TraceZoom::request);
}

}  // namespace
}  // namespace warpscope
