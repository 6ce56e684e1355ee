// workbench/lessons/question.h: a question that a lesson step asks, and the check of an answer.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "profiling/claims/claim.h"
#include "workbench/lessons/lesson_trace.h"

// A step of a lesson's file may have a question. It has one of three kinds:
//
//   "question": {"ask": "How many sectors does the request need?", "number": "request.sectors",
//                "noun": "sectors", "within": "1 %", "hint": "…", "explain": "…"}
//   "question": {"ask": "…", "choices": [{"text": "yes", "right": "copy.l1.hit_ratio > 50 %"},
//                {"text": "no", "right": "copy.l1.hit_ratio <= 50 %", "hint": "…"}], "explain":
//                "…"}
//   "question": {"ask": "…", "click": {"line": "words of the line"}}, or
//               {"ask": "…", "click": {"sector": "sector.lanes = 0"}}
//
// - "number" and "right" are expressions (profiling/claims/claim.h) on the session at hand, and on
//   the emulation (lesson_trace.h). "right": true marks a choice that no figure decides.
// - "unit" is a unit of claims, such as "us", "%" or "GB/s". "noun" is what is counted.
// - "hint" is shown after a wrong answer, "explain" after the right one. A choice may have a hint
//   of its own. They are texts with figures and claims, like "ask".
// - "spotlight" is shown with the explanation, in place of the step's.

namespace warpscope {

enum class QuestionKind { choice, number, line, sector };

struct LessonChoice {
  std::string text, hint;
  std::string right;  // a relation; empty: the choice is wrong, whatever is measured
};

struct LessonQuestion {
  QuestionKind kind = QuestionKind::choice;
  std::string ask, hint, explain;
  std::vector<LessonChoice> choices;
  std::string number, unit, noun;  // the expected value
  std::string within = "1 %";      // how far a typed number may be from it
  std::string line;                // words of the kernel's line that is to be clicked
  std::string sector;              // a relation that the clicked sector meets
};

// error: input.
Result<LessonQuestion> question_of(const nlohmann::json& object);
// Whether every expression and text of it can be read for the scene. error: input.
Result<void> check_question(const LessonQuestion& question, const Scene& scene);

// What a person answered; one of them.
struct GivenAnswer {
  std::optional<int> choice;  // from 0
  std::string number;         // as typed
  std::string file;           // of the clicked line …
  int line = 0;
  std::string line_text;             // … and its text
  std::optional<TraceNames> sector;  // sector_names of the clicked sector
};

enum class AnswerStanding { open, wrong, right, told };

struct AnswerVerdict {
  AnswerStanding standing = AnswerStanding::open;  // open: it could not be checked
  std::string words;  // why it could not; else the hint, if there is one
};

// Checks an answer with the session at hand. `names`: the figures of the emulation; null: there are
// none.
AnswerVerdict check_answer(const LessonQuestion& question, const GivenAnswer& given,
                           const ClaimContext& context, const TraceNames* names);
// The right answer in words: “32 sectors”, the text of the right choice, or what is to be clicked.
// No value: a figure that decides it is missing.
std::optional<std::string> right_answer(const LessonQuestion& question, const ClaimContext& context,
                                        const TraceNames* names);
// The unit or noun that follows a typed number; empty: a pure number.
std::string label_of(const LessonQuestion& question);

// Its texts and expressions as one text, so that what it needs is measured with the step.
std::string all_words(const LessonQuestion& question);

}  // namespace warpscope
