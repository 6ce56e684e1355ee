// tests/workbench/lessons/course_play_test.cpp: questions of the course have one right answer on
// the recordings that ship, and with the emulator.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "profiling/claims/claim_text.h"
#include "tests/folders.h"
#include "tests/workbench/window/null_window.h"
#include "workbench/client/engine_command.h"
#include "workbench/client/program_catalogue.h"
#include "workbench/lessons/lesson_outline.h"
#include "workbench/window/lesson_player.h"
#include "workbench/workspace/trace_state.h"

namespace warpscope {
namespace {

using testing::HasSubstr;
using testing::Not;

std::vector<std::filesystem::path> course_lessons() {
  std::vector<std::filesystem::path> paths;
  for (const auto& path : shipped_lesson_paths()) {
    if (path.parent_path().filename() == "course") paths.push_back(path);
  }
  return paths;
}

// How many of the choices hold.
int right_choices(const LessonQuestion& question, const ClaimContext& context,
                  const TraceNames* names) {
  int right = 0;
  for (int i = 0; i < static_cast<int>(question.choices.size()); ++i) {
    GivenAnswer given;
    given.choice = i;
    const AnswerVerdict verdict = check_answer(question, given, context, names);
    EXPECT_NE(verdict.standing, AnswerStanding::open) << question.ask << ": " << verdict.words;
    right += verdict.standing == AnswerStanding::right ? 1 : 0;
  }
  return right;
}

// Nothing missing: no dash with a reason, nothing on its way, no braces left.
void expect_whole(const std::string& text, const std::string& where) {
  for (const char* sign : {"– (", "…", "{", "}"})
    EXPECT_THAT(text, Not(HasSubstr(sign))) << where << ": " << text;
}

// Those that need no emulation, and all texts with figures.
TEST(Course, QuestionsAboutRecordedFiguresHaveOneRightAnswer) {
  int asked = 0;
  std::map<std::string, Session> sessions;  // by scene
  for (const auto& path : course_lessons()) {
    const auto catalogue = program_catalogue();
    const Result<Lesson> lesson = read_lesson(path, catalogue);
    ASSERT_TRUE(lesson) << sentence(lesson.error());
    const Scene& scene = *catalogue->find(lesson->scene).value();
    if (sessions.count(scene.name) == 0) {
      Result<SessionReading> read = read_session(*recorded_session_of(scene.name));
      ASSERT_TRUE(read);
      sessions.emplace(scene.name, std::move(read->session));
    }
    Configuration axes = default_configuration(scene.axes);
    for (const LessonStep& step : lesson->steps) {
      axes = axes_at(step, scene, axes).value();
      const ClaimContext context{&scene, &sessions.at(scene.name), axes};
      const std::string where = path.filename().string() + ": " + step.text.substr(0, 30);
      expect_whole(resolve(step.notes, context), where);
      if (!step.question || names_trace(all_words(*step.question))) continue;
      const LessonQuestion& question = *step.question;
      ++asked;
      for (const std::string* words : {&question.ask, &question.hint, &question.explain})
        expect_whole(resolve(*words, context), where);
      if (question.kind == QuestionKind::choice) {
        EXPECT_EQ(right_choices(question, context, nullptr), 1) << where;
      } else if (question.kind == QuestionKind::number) {
        EXPECT_TRUE(right_answer(question, context, nullptr)) << where;
      }
    }
  }
  EXPECT_GE(asked, 8);
}

// One step, played to its end.
void play_step(Workspace& workspace, LessonPlayer& player, FrameState& state) {
  const auto start = std::chrono::steady_clock::now();
  for (int settled = 0; settled < 4;) {
    workspace.update();
    player.update(state);
    settled = player.settled() ? settled + 1 : 0;
    workspace.wait(0.002);
    if (std::chrono::steady_clock::now() - start > std::chrono::seconds(180)) {
      ADD_FAILURE() << "not settled: " << state.lesson_text;
      return;
    }
  }
}

void expect_one_right_sector(const LessonQuestion& question, Workspace& workspace) {
  const TraceState found = trace_state(workspace.view(), workspace.selection.variant);
  ASSERT_NE(found.trace, nullptr);
  int right = 0, all = 0;
  for (const std::uint64_t at : shown_sectors(*found.trace, workspace.selection.trace)) {
    GivenAnswer given;
    given.sector = sector_names(*found.trace, workspace.selection.trace, at);
    const AnswerVerdict verdict =
        check_answer(question, given, workspace.view().words.claims(), nullptr);
    right += verdict.standing == AnswerStanding::right ? 1 : 0;
    ++all;
  }
  EXPECT_GE(right, 1) << question.ask;
  EXPECT_LT(right, all) << question.ask;
}

TEST(SlowCourse, EveryStepIsWholeAndEveryQuestionHasOneRightAnswerWithTheEmulator) {
  int asked = 0;
  for (const auto& path : course_lessons()) {
    const auto catalogue = program_catalogue();
    const Lesson lesson = read_lesson(path, catalogue).value();
    Workspace workspace({}, emulator_command({}), catalogue);
    ASSERT_TRUE(workspace.open(*recorded_session_of(lesson.scene)));
    LessonPlayer player(lesson, workspace);
    FrameState state;
    do {
      play_step(workspace, player, state);
      const std::string where =
          path.filename().string() + ", step " + std::to_string(player.at() + 1);
      expect_whole(state.lesson_text, where);
      if (!player.tell(state)) continue;
      ++asked;
      player.update(state);
      expect_whole(state.strip.question.said, where);
      EXPECT_THAT(state.strip.question.said, Not(HasSubstr("not known here"))) << where;
      const LessonQuestion& question = *player.step().question;
      if (question.kind == QuestionKind::sector) expect_one_right_sector(question, workspace);
      const TraceState found = trace_state(workspace.view(), workspace.selection.variant);
      TraceNames names;
      if (found.trace != nullptr) names = trace_names(*found.trace, workspace.selection.trace);
      if (question.kind == QuestionKind::choice) {
        EXPECT_EQ(right_choices(question, workspace.view().words.claims(), &names), 1) << where;
      }
    } while (player.next());
  }
  EXPECT_GE(asked, 16);
}

}  // namespace
}  // namespace warpscope
