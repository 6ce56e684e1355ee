// tests/workbench/lessons/question_test.cpp: questions of lessons: read, asked, answered, checked.
#include "workbench/lessons/question.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <imgui_internal.h>

#include <nlohmann/json.hpp>

#include "scenes/catalogue.h"
#include "tests/profiling/access/synthetic_trace.h"
#include "tests/workbench/window/null_window.h"
#include "tests/workbench/workspace/sample_session.h"
#include "workbench/window/lesson_player.h"
#include "workbench/workspace/trace_state.h"

namespace warpscope {
namespace {

using testing::HasSubstr;

Result<Lesson> lesson_asking(const std::string& question) {
  return parse_lesson(R"({"title": "t", "scene": "csrmm", "steps": [
      {"text": "one", "variant": "float4_columns", "panel": "coalescing",
       "request": {"worst": "sectors"}, "question": )" +
                          question + "}]}",
                      "q.json");
}

// The synthetic trace, in a session at the configuration of a new workspace.
std::unique_ptr<Workspace> with_trace() {
  Trace trace = synthetic_trace();
  trace.key = Workspace({}).view().key();
  trace.source_hash = "";
  Measurement point = sample::correct(sample::focus, 120e3);
  point.steps.clear();
  return sample::recorded({point, trace});
}

// A lesson of one step on that session.
struct Asked {
  explicit Asked(const std::string& question)
      : lesson(lesson_asking(question).value()),
        workspace(with_trace()),
        player(lesson, *workspace) {
    frames(3);
  }
  void frames(int count = 1) {
    for (int i = 0; i < count; ++i) {
      workspace->update();
      player.update(state);
    }
  }
  AnswerStanding give(GivenAnswer answer) {
    state.strip.question.given = std::move(answer);
    frames();
    return state.strip.question.standing;
  }
  AnswerStanding choose(int index) {
    GivenAnswer answer;
    answer.choice = index;
    return give(answer);
  }
  AnswerStanding type(const std::string& number) {
    GivenAnswer answer;
    answer.number = number;
    return give(answer);
  }
  AnswerStanding click(const Hovered& on) {
    state.strip.question.clicked = on;
    frames();
    return state.strip.question.standing;
  }
  const Trace& trace() const {
    return *trace_state(workspace->view(), workspace->selection.variant).trace;
  }
  Lesson lesson;
  std::unique_ptr<Workspace> workspace;
  LessonPlayer player;
  FrameState state;
};

TEST(Question, ABrokenOneIsRefusedInOneSentenceThatNamesItsStep) {
  const std::pair<const char*, const char*> broken[] = {
      {"3", "must be an object"},
      {R"({"ask": "a", "explain": "b"})", "either choices, a number or a click"},
      {R"({"ask": "a", "explain": "b", "number": "1", "click": {"line": "float"}})", "keep one"},
      {R"({"explain": "b", "number": "1"})", "needs its words in “ask”"},
      {R"({"ask": "a", "number": "1"})", "needs an explanation"},
      {R"({"ask": "a", "explain": "b", "nubmer": "1"})", "did you mean number?"},
      {R"({"ask": "a", "explain": "b", "number": "request.sector"})", "request"},
      {R"({"ask": "a", "explain": "b", "number": "float4_column.time.warm"})", "float4_columns"},
      {R"({"ask": "a", "explain": "b", "number": "1", "unit": "parsecs"})", "“parsecs”"},
      {R"({"ask": "a", "explain": "b", "number": "1", "within": "a bit"})", "“a bit”"},
      {R"({"ask": "a", "explain": "b", "number": 4})", "must be"},
      {R"({"ask": "a", "explain": "b", "choices": ["yes", "no"]})", "needs a text"},
      {R"({"ask": "a", "explain": "b", "choices": [{"text": "yes", "right": true}]})", "2 to 6"},
      {R"({"ask": "a", "explain": "b", "choices": [{"text": "y"}, {"text": "n"}]})",
       "no choice of the question can be right"},
      {R"({"ask": "a", "explain": "b", "choices": [{"text": "y", "rihgt": true},
           {"text": "n"}]})",
       "did you mean right?"},
      {R"({"ask": "a", "explain": "b", "choices": [{"text": "y", "right": "nobody.time.warm > 0"},
           {"text": "n"}]})",
       "nobody"},
      {R"({"ask": "a", "explain": "b", "click": {"row": "x"}})", "on a “row”"},
      {R"({"ask": "a", "explain": "b", "click": {"sector": "sector.lane = 0"}})", "sector"},
      {R"({"ask": "a", "explain": "{time.warn:auto}", "number": "1"})", "time.warm"}};
  for (const auto& [question, words] : broken) {
    const Result<Lesson> lesson = lesson_asking(question);
    ASSERT_FALSE(lesson) << question;
    EXPECT_THAT(sentence(lesson.error()), HasSubstr(words)) << question;
    EXPECT_THAT(sentence(lesson.error()), HasSubstr("step 1")) << question;
    EXPECT_EQ(exit_status(lesson.error().kind), 2) << question;
  }
}

TEST(Question, AChoiceIsRightWhereItsRelationHoldsAndHasItsOwnHint) {
  Asked asked(
      R"({"ask": "How long?", "hint": "general", "explain": "It is {time.warm:float4_columns}.",
      "choices": [{"text": "less than 100 µs", "right": "float4_columns.time.warm < 100 us",
                   "hint": "look at Timing"},
                  {"text": "more", "right": "float4_columns.time.warm > 100 us"},
                  {"text": "nothing at all"}]})");
  EXPECT_TRUE(asked.state.strip.question.any);
  EXPECT_EQ(asked.choose(0), AnswerStanding::wrong);
  EXPECT_EQ(asked.state.strip.question.said, "Not this. look at Timing");
  EXPECT_TRUE(asked.state.strip.question.tried[0]);
  EXPECT_EQ(asked.choose(2), AnswerStanding::wrong);
  EXPECT_EQ(asked.state.strip.question.said, "Not this. general");
  EXPECT_EQ(asked.choose(1), AnswerStanding::right);
  EXPECT_EQ(asked.state.strip.question.said, "Right. It is 120.0 µs.");
  EXPECT_EQ(asked.state.strip.question.right, 1);
}

TEST(Question, ANumberIsComparedWithTheSessionInItsUnitAndTolerance) {
  Asked asked(R"({"ask": "How long?", "number": "float4_columns.time.warm", "unit": "us",
      "within": "5 %", "hint": "read it", "explain": "so"})");
  EXPECT_EQ(asked.state.strip.question.words.label, "µs");
  EXPECT_EQ(asked.type("about"), AnswerStanding::open);
  EXPECT_THAT(asked.state.strip.question.said, HasSubstr("Type a number"));
  EXPECT_EQ(asked.type("113"), AnswerStanding::wrong);
  EXPECT_EQ(asked.state.strip.question.said, "Not this. read it");
  EXPECT_EQ(asked.type("115 µs"), AnswerStanding::right);
  EXPECT_EQ(asked.state.strip.question.said, "Right. so");
}

TEST(Question, ANumberOfTheEmulationIsThatOfTheChosenRequest) {
  Asked asked(R"({"ask": "How many sectors?", "number": "request.sectors", "noun": "sectors",
      "explain": "There are {request.sectors}[[request.sectors > 1 => : several]]."})");
  const WarpRequest& chosen = asked.trace().requests.at(asked.workspace->selection.trace.request);
  const std::int64_t sectors = request_cost(asked.trace(), chosen).sectors;
  ASSERT_GT(sectors, 1);
  EXPECT_EQ(asked.type(std::to_string(sectors + 1)), AnswerStanding::wrong);
  EXPECT_EQ(asked.type(std::to_string(sectors)), AnswerStanding::right);
  EXPECT_EQ(asked.state.strip.question.said,
            "Right. There are " + std::to_string(sectors) + ": several.");
}

TEST(Question, AClickOnASectorIsCheckedByTheLanesThatReadIt) {
  Asked asked(R"({"ask": "Click the sector of lane 0.",
      "click": {"sector": "sector.first_lane = 0"}, "hint": "the first", "explain": "so"})");
  EXPECT_TRUE(asked.state.strip.question.awaits_click());
  const Trace& trace = asked.trace();
  int right = 0, wrong = 0;
  for (const std::uint64_t address : shown_sectors(trace, asked.workspace->selection.trace)) {
    const TracedBuffer* buffer = buffer_at(trace, address);
    if (buffer == nullptr) continue;
    Hovered on;
    on.buffer = buffer->name;
    on.sector = static_cast<std::int64_t>((address - buffer->address) / 32);
    asked.state.strip.question.standing = AnswerStanding::open;
    (asked.click(on) == AnswerStanding::right ? right : wrong) += 1;
  }
  EXPECT_GE(right, 1);
  EXPECT_GE(wrong, 1);
}

TEST(Question, AClickOnALineIsCheckedByItsWords) {
  Asked asked(R"({"ask": "Click the kernel's first line.",
      "click": {"line": "extern \"C\" __global__"}, "hint": "look at Source", "explain": "so"})");
  const std::string file = "csrmm/float4_columns.cu";
  const std::string text = asked.workspace->catalogue()->kernel(file).value().text;
  const std::size_t found = text.find("extern \"C\" __global__");
  ASSERT_NE(found, std::string::npos);
  Hovered on;
  on.file = file;
  on.line = 1 + static_cast<int>(std::count(
                    text.begin(), text.begin() + static_cast<std::ptrdiff_t>(found), '\n'));
  Hovered other = on;
  other.line = 1;
  EXPECT_EQ(asked.click(other), AnswerStanding::wrong);
  EXPECT_EQ(asked.state.strip.question.said, "Not this. look at Source");
  EXPECT_EQ(asked.click(on), AnswerStanding::right);
}

TEST(Question, TheAnswerIsToldOnRequestAndAnUnansweredOneDoesNotBlock) {
  Asked asked(R"({"ask": "How long?", "number": "float4_columns.time.warm", "unit": "us",
      "hint": "h", "explain": "so"})");
  EXPECT_TRUE(asked.player.settled());
  asked.state.strip.question.tell = true;
  asked.frames();
  EXPECT_EQ(asked.state.strip.question.said, "Answer: 120.0 µs. so");
  EXPECT_TRUE(asked.state.strip.question.is_over());
}

TEST(Question, SaysWhyItCannotCheckWhatNothingHasMeasured) {
  Asked asked(R"({"ask": "How long?", "number": "k_tiles.time.warm", "unit": "us",
      "hint": "h", "explain": "so"})");
  EXPECT_EQ(asked.type("3"), AnswerStanding::open);
  EXPECT_THAT(asked.state.strip.question.said, HasSubstr("cannot be checked"));
  EXPECT_THAT(asked.state.strip.question.said, HasSubstr("time.warm of"));
}

TEST(Question, IsDrawnWithItsControlsAndItsAnswer) {
  NullWindow window;
  Asked asked(R"({"ask": "How many sectors are touched?", "hint": "h", "explain": "It is so.",
      "choices": [{"text": "some of them", "right": true}, {"text": "none of them"}]})");
  window.state = asked.state;
  const auto drawn = [&] {
    return window.frame(
        [&] { draw_workbench(*asked.workspace, window.panels, window.style, window.state); });
  };
  drawn();
  const std::string before = drawn();
  for (const char* words : {"How many sectors", "some of them", "none of them", "show the answer"})
    EXPECT_THAT(before, HasSubstr(words));
  EXPECT_THAT(before, testing::Not(HasSubstr("It is so.")));
  asked.choose(0);
  window.state.strip.question = asked.state.strip.question;
  drawn();
  EXPECT_THAT(drawn(), HasSubstr("Right. It is so."));
  EXPECT_LE(window.state.strip.overflow, 1) << "the strip has no room for the explanation";
}

TEST(Question, SpeakerNotesShowTheNotesTheAnswerAndTheNextStepInAWindowOfTheirOwn) {
  const Lesson lesson = parse_lesson(R"({"title": "t", "scene": "csrmm", "steps": [
      {"text": "one", "variant": "float4_columns", "notes": "say {time.warm:float4_columns}",
       "question": {"ask": "How long?", "number": "float4_columns.time.warm", "unit": "us",
       "explain": "so"}},
      {"text": "two, the next", "variant": "float4_columns"}]})",
                                     "n.json")
                            .value();
  const auto workspace = with_trace();
  NullWindow window;
  LessonPlayer player(lesson, *workspace);
  const auto drawn = [&] {
    workspace->update();
    player.update(window.state);
    window.frame([&] { draw_workbench(*workspace, window.panels, window.style, window.state); });
    return window.state.strip.notes;
  };
  EXPECT_EQ(drawn().words, "") << "closed: nothing is looked up";
  window.state.strip.notes.open = true;
  drawn();
  const SpeakerNotes notes = drawn();
  EXPECT_EQ(notes.step, "step 1 of 2");
  EXPECT_EQ(notes.words, "say 120.0 µs");
  EXPECT_EQ(notes.answer, "120.0 µs. so");
  EXPECT_EQ(notes.next, "two, the next");
  const ImGuiWindow* shown = ImGui::FindWindowByName("Speaker notes");
  ASSERT_NE(shown, nullptr);
  EXPECT_TRUE(shown->Active);
  EXPECT_TRUE(shown->WindowClass.ViewportFlagsOverrideSet & ImGuiViewportFlags_NoAutoMerge);
  ASSERT_TRUE(player.next());
  EXPECT_EQ(drawn().next, "");
  EXPECT_EQ(time_taken(725.4), "12:05");
}

}  // namespace
}  // namespace warpscope
