// workbench/lessons/question.cpp: a question that a lesson step asks, and the check of an answer.
#include "workbench/lessons/question.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "profiling/claims/claim_text.h"
#include "scenes/host/nearest.h"

namespace warpscope {
namespace {

using nlohmann::json;

constexpr const char* kAlways = "1 = 1";  // the relation of a choice that no figure decides
constexpr std::size_t kMostChoices = 6;

tl::unexpected<Error> wrong(std::string what, std::string remedy) {
  return failure(ErrorKind::input, std::move(what), "", std::move(remedy));
}

Result<LessonChoice> choice_of(const json& object) {
  if (!object.is_object() || !object.contains("text") || !object["text"].is_string())
    return wrong("a choice of a question needs a text",
                 R"(write {"text": "yes", "right": true}, or a relation after "right")");
  LessonChoice choice;
  for (const auto& [name, value] : object.items()) {
    if (name == "text" || name == "hint") {
      value.get_to(name == "text" ? choice.text : choice.hint);
    } else if (name != "right") {
      return wrong("a choice has no field “" + name + "”",
                   suggest(name, {"text", "right", "hint"}));
    } else if (value.is_boolean()) {
      choice.right = value.get<bool>() ? kAlways : "";
    } else if (value.is_string()) {
      choice.right = value;
    } else {
      return wrong("“right” of a choice must be true or a relation", "correct the lesson");
    }
  }
  return choice;
}

Result<void> take_click(const json& value, LessonQuestion& question) {
  const bool one = value.is_object() && value.size() == 1 && value.begin().value().is_string();
  if (!one)
    return wrong("a question asks for a click on a line or a sector",
                 R"(write {"line": words of the line} or {"sector": "sector.lanes = 0"})");
  const std::string& what = value.begin().key();
  if (what != "line" && what != "sector")
    return wrong("a question cannot ask for a click on a “" + what + "”",
                 suggest(what, {"line", "sector"}));
  question.kind = what == "line" ? QuestionKind::line : QuestionKind::sector;
  value.begin().value().get_to(what == "line" ? question.line : question.sector);
  if (question.line.empty() && question.sector.empty())
    return wrong("the click of a question names nothing", "correct the lesson");
  return {};
}

Result<void> take(const std::string& name, const json& value, LessonQuestion& question) {
  const std::pair<const char*, std::string*> texts[] = {
      {"ask", &question.ask},       {"hint", &question.hint}, {"explain", &question.explain},
      {"number", &question.number}, {"unit", &question.unit}, {"noun", &question.noun},
      {"within", &question.within}};
  std::vector<std::string> known = {"choices", "click", "spotlight"};
  for (const auto& [field, text] : texts) {
    known.emplace_back(field);
    if (name != field) continue;
    value.get_to(*text);
    if (name == "number") question.kind = QuestionKind::number;
    return {};
  }
  if (name == "spotlight") return {};  // the lesson reads it
  if (name == "click") return take_click(value, question);
  if (name != "choices")
    return wrong("a question has no field “" + name + "”", suggest(name, known));
  if (!value.is_array() || value.size() < 2 || value.size() > kMostChoices)
    return wrong("a question has 2 to 6 choices", "correct the lesson");
  for (const json& each : value) {
    Result<LessonChoice> choice = choice_of(each);
    if (!choice) return tl::unexpected(choice.error());
    question.choices.push_back(std::move(*choice));
  }
  return {};
}

// A relation in which a typed number may differ from the expected one by so much.
std::string closeness(const LessonQuestion& question, const std::string& typed,
                      const std::string& expected) {
  return "(" + typed + (question.unit.empty() ? "" : " " + question.unit) + ") ~ (" + expected +
         ") within " + question.within;
}

// The number that a person typed, as claims read one; a unit or noun after it is left out. No
// value: it is not a number.
std::optional<std::string> number_typed(std::string text) {
  std::erase(text, ',');
  const char* const begin = text.c_str();
  char* end = nullptr;
  const double number = std::strtod(begin, &end);
  if (end == begin || number != number || number > 1e18 || number < -1e18) return std::nullopt;
  std::array<char, 64> digits{};
  std::snprintf(digits.data(), digits.size(), "%.9f", number);
  return digits.data();
}

ClaimResult holds(const std::string& relation, const ClaimContext& context) {
  const Result<Claim> claim = parse_claim(relation, *context.scene);
  if (!claim) return {ClaimStanding::unknown, sentence(claim.error()), ""};
  return evaluate(*claim, context);
}

// The relation on the emulation and the session.
ClaimResult holds(const std::string& relation, const ClaimContext& context,
                  const TraceNames* names) {
  const std::string filled = names == nullptr ? relation : with_numbers(relation, *names);
  if (names_trace(filled))
    return {ClaimStanding::unknown, "it needs the emulation of this kernel", "wait for it"};
  return holds(filled, context);
}

std::string hint_for(const LessonQuestion& question, const GivenAnswer& given) {
  if (question.kind != QuestionKind::choice) return question.hint;
  const std::string& own = question.choices[static_cast<std::size_t>(*given.choice)].hint;
  return own.empty() ? question.hint : own;
}

AnswerVerdict judged(const LessonQuestion& question, const GivenAnswer& given,
                     const ClaimResult& result) {
  if (result.standing == ClaimStanding::holds) return {AnswerStanding::right, ""};
  if (result.standing == ClaimStanding::does_not_hold)
    return {AnswerStanding::wrong, hint_for(question, given)};
  return {AnswerStanding::open, "This cannot be checked yet: " + result.why +
                                    (result.remedy.empty() ? "" : "; " + result.remedy) + "."};
}

Result<void> check_expression(const std::string& expression, const Scene& scene) {
  const Result<Claim> claim = parse_claim(with_ones(expression), scene);
  return claim ? Result<void>{} : tl::unexpected(claim.error());
}

Result<void> check_choices(const LessonQuestion& question, const Scene& scene) {
  int right = 0;
  for (const LessonChoice& choice : question.choices) {
    right += choice.right.empty() ? 0 : 1;
    if (choice.right.empty()) continue;
    if (Result<void> good = check_expression(choice.right, scene); !good) return good;
  }
  if (right == 0)
    return wrong("no choice of the question can be right", R"(write "right" in one of them)");
  return {};
}

Result<void> check_number(const LessonQuestion& question, const Scene& scene) {
  if (Result<void> good = check_expression(question.number, scene); !good) return good;
  const Result<Claim> claim =
      parse_claim(closeness(question, "1", with_ones(question.number)), scene);
  if (claim) return {};
  return wrong("the unit “" + question.unit + "” or the tolerance “" + question.within +
                   "” of the question cannot be read",
               R"(write "unit": "us" and "within": "5 %", or "noun" for what is counted)");
}

}  // namespace

Result<LessonQuestion> question_of(const json& object) {
  if (!object.is_object()) return wrong("a question must be an object", "correct the lesson");
  LessonQuestion question;
  for (const auto& [name, value] : object.items()) {
    if (Result<void> taken = take(name, value, question); !taken)
      return tl::unexpected(taken.error());
  }
  const int kinds = static_cast<int>(object.contains("choices")) +
                    static_cast<int>(object.contains("number")) +
                    static_cast<int>(object.contains("click"));
  if (kinds != 1)
    return wrong("a question has either choices, a number or a click", "keep one of them");
  if (question.ask.empty()) return wrong("a question needs its words in “ask”", "write them");
  if (question.explain.empty())
    return wrong("a question needs an explanation in “explain”, for after the answer",
                 "write one sentence");
  return question;
}

Result<void> check_question(const LessonQuestion& question, const Scene& scene) {
  if (Result<void> good = check_text(with_ones(all_words(question)), scene); !good) return good;
  switch (question.kind) {
    case QuestionKind::choice:
      return check_choices(question, scene);
    case QuestionKind::number:
      return check_number(question, scene);
    case QuestionKind::sector:
      return check_expression(question.sector, scene);
    case QuestionKind::line:
      break;
  }
  return {};
}

AnswerVerdict check_answer(const LessonQuestion& question, const GivenAnswer& given,
                           const ClaimContext& context, const TraceNames* names) {
  switch (question.kind) {
    case QuestionKind::choice: {
      const std::string& right = question.choices[static_cast<std::size_t>(*given.choice)].right;
      if (right.empty()) return {AnswerStanding::wrong, hint_for(question, given)};
      return judged(question, given, holds(right, context, names));
    }
    case QuestionKind::number: {
      const std::optional<std::string> typed = number_typed(given.number);
      if (!typed) return {AnswerStanding::open, "Type a number, such as 4."};
      return judged(question, given,
                    holds(closeness(question, *typed, question.number), context, names));
    }
    case QuestionKind::sector:
      return judged(question, given,
                    holds(question.sector, context, given.sector ? &*given.sector : names));
    case QuestionKind::line:
      break;
  }
  const bool right = given.line_text.find(question.line) != std::string::npos;
  return {right ? AnswerStanding::right : AnswerStanding::wrong, right ? "" : question.hint};
}

std::optional<std::string> right_answer(const LessonQuestion& question, const ClaimContext& context,
                                        const TraceNames* names) {
  if (question.kind == QuestionKind::line) return "the line “" + question.line + "”";
  if (question.kind == QuestionKind::sector) return "";
  if (question.kind == QuestionKind::choice) {
    for (const LessonChoice& choice : question.choices) {
      if (choice.right.empty()) continue;
      if (holds(choice.right, context, names).standing == ClaimStanding::holds) return choice.text;
    }
    return std::nullopt;
  }
  const std::string filled =
      names == nullptr ? question.number : with_numbers(question.number, *names);
  if (names_trace(filled)) return std::nullopt;
  const Result<Claim> claim = parse_claim(filled, *context.scene);
  if (!claim) return std::nullopt;
  std::string figure = figure_text(*claim, context).text;
  if (figure.empty()) return std::nullopt;
  for (const auto& [ending, better] : {std::pair(".00", ""), std::pair(".0 B", " B")}) {
    if (figure.ends_with(ending))
      figure = figure.substr(0, figure.size() - std::string(ending).size()) + better;
  }
  return figure + (question.noun.empty() ? "" : " " + question.noun);
}

std::string label_of(const LessonQuestion& question) {
  if (question.unit == "us") return "µs";
  if (question.unit == "KB") return "kB";
  return question.unit.empty() ? question.noun : question.unit;
}

std::string all_words(const LessonQuestion& question) {
  std::string words = question.ask + "\n" + question.hint + "\n" + question.explain;
  const auto add_relation = [&words](const std::string& relation) {
    if (!relation.empty()) words += "\n[[" + relation + " => || ]]";
  };
  for (const LessonChoice& choice : question.choices) {
    words += "\n" + choice.text + "\n" + choice.hint;
    add_relation(choice.right);
  }
  if (!question.number.empty()) add_relation(question.number + " ~ " + question.number);
  add_relation(question.sector);
  return words;
}

}  // namespace warpscope
