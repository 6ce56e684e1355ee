// workbench/window/course/question_view.h: the question of a lesson's step, below its text.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "workbench/drawing/style.h"
#include "workbench/lessons/question.h"
#include "workbench/workspace/selection/selection.h"

//   const float height = question_height(words, style, width);   // so that nothing moves later
//   draw_question(style, state.strip.question);                        // a person answers here …
//   take_click(workspace.selection.trace.hovering, state.strip.question);   // … or in a panel
//   if (state.strip.question.given) …                                  // the lesson's player
//   checks it

namespace warpscope {

// All that a question may show, of one step.
struct QuestionWords {
  std::string ask, label;
  std::vector<std::string> choices;
  std::vector<std::string> feedback;  // hints and the explanation
  bool any() const { return !ask.empty(); }
  bool operator==(const QuestionWords&) const = default;
};

// The question of the step at hand, what was answered, and what was said to that.
struct ShownQuestion {
  bool any = false;
  QuestionKind kind = QuestionKind::choice;
  QuestionWords words;                             // with figures
  std::string typed;                               // in the field of a number
  std::vector<bool> tried;                         // choices that were wrong
  int right = -1;                                  // the choice that was right
  AnswerStanding standing = AnswerStanding::open;  // of the last answer
  std::string said;                                // a hint, or the answer with its explanation
  // Given in this frame; the player takes them.
  std::optional<GivenAnswer> given;
  std::optional<Hovered> clicked;  // in a panel, while a click is asked for
  bool tell = false;               // the person wants to see the answer
  bool is_over() const {
    return standing == AnswerStanding::right || standing == AnswerStanding::told;
  }
  bool awaits_click() const {
    return any && !is_over() && (kind == QuestionKind::line || kind == QuestionKind::sector);
  }
};

// Pixels below the text of a step, for the face at hand. 0: no question.
float question_height(const QuestionWords& words, float width);
void draw_question(const Style& style, ShownQuestion& question);
// A left click on something that diagrams or Source name is the answer, if one is awaited.
void take_click(const Hovered& hovering, ShownQuestion& question);

}  // namespace warpscope
