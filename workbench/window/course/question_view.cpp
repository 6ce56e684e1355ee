// workbench/window/course/question_view.cpp: the question of a lesson's step, below its text.
#include "workbench/window/course/question_view.h"

#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>

#include "workbench/panels/panels.h"

namespace warpscope {
namespace {

constexpr const char* kCheck = "check";
constexpr const char* kTell = "show the answer";
constexpr const char* kClickHere = "Click it in the panel.";
constexpr const char* kAnswer = "Answer: 1234.5 µs. ";  // about what stands before an explanation

float width_of(const std::string& words) {
  return ImGui::CalcTextSize(words.c_str()).x + 2 * ImGui::GetStyle().FramePadding.x;
}

// Buttons side by side, in as many rows as they need. Returns the rows.
int rows_of(const QuestionWords& words, float width) {
  const float gap = ImGui::GetStyle().ItemSpacing.x;
  int rows = 1;
  float x = 0;
  const auto place = [&](const std::string& text) {
    const float wide = width_of(text);
    if (x > 0 && x + wide > width) {
      ++rows;
      x = 0;
    }
    x += wide + gap;
  };
  for (const std::string& choice : words.choices) place(choice);
  place(kTell);
  return rows;
}

// Goes on in the same row where a button of these words fits.
void place_next(const std::string& words, float end) {
  const float x = ImGui::GetItemRectMax().x + ImGui::GetStyle().ItemSpacing.x;
  if (x + width_of(words) <= end) ImGui::SameLine();
}

void draw_choices(const Style& style, float end, ShownQuestion& question) {
  for (int i = 0; i < static_cast<int>(question.words.choices.size()); ++i) {
    const std::string& words = question.words.choices[static_cast<std::size_t>(i)];
    const bool tried = question.tried[static_cast<std::size_t>(i)];
    if (i > 0) place_next(words, end);
    ImGui::PushID(i);
    if (question.right == i) ImGui::PushStyleColor(ImGuiCol_Text, style.colours.good);
    ImGui::BeginDisabled(tried || (question.is_over() && question.right != i));
    if (ImGui::Button(words.c_str()) && !question.is_over()) {
      question.given = GivenAnswer{};
      question.given->choice = i;
    }
    ImGui::EndDisabled();
    if (question.right == i) ImGui::PopStyleColor();
    ImGui::PopID();
  }
}

void draw_number(const Style& style, ShownQuestion& question) {
  constexpr float kFieldUnits = 14;
  ImGui::SetNextItemWidth(style.unit(kFieldUnits));
  const bool entered =
      ImGui::InputText("##number", &question.typed, ImGuiInputTextFlags_EnterReturnsTrue);
  ImGui::SameLine();
  if (!question.words.label.empty()) {
    ImGui::TextUnformatted(question.words.label.c_str());
    ImGui::SameLine();
  }
  const bool pressed = ImGui::Button(kCheck);
  if ((!entered && !pressed) || question.typed.empty()) return;
  question.given = GivenAnswer{};
  question.given->number = question.typed;
}

ImU32 colour_of(const Style& style, AnswerStanding standing) {
  if (standing == AnswerStanding::right) return style.colours.good;
  return standing == AnswerStanding::wrong ? style.colours.warning : style.colours.text;
}

}  // namespace

float question_height(const QuestionWords& words, float width) {
  if (!words.any()) return 0;
  const auto paragraph = [width](const std::string& text) {
    return ImGui::CalcTextSize(text.c_str(), nullptr, false, width).y;
  };
  float feedback = ImGui::GetTextLineHeight();
  for (const std::string& each : words.feedback)
    feedback = std::max(feedback, paragraph(kAnswer + each));
  // Figures are about as long as when they are shown: a text may take one line more.
  const float gap = ImGui::GetStyle().ItemSpacing.y, spare = ImGui::GetTextLineHeight();
  const auto rows = static_cast<float>(rows_of(words, width));
  return 2 * gap + paragraph(words.ask) + rows * (ImGui::GetFrameHeight() + gap) + gap + feedback +
         spare;
}

void draw_question(const Style& style, ShownQuestion& question) {
  if (!question.any) return;
  const float end = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  ImGui::PushStyleColor(ImGuiCol_Text, style.colours.accent);
  draw_paragraph(question.words.ask);
  ImGui::PopStyleColor();
  if (question.kind == QuestionKind::choice) {
    draw_choices(style, end, question);
  } else if (question.kind == QuestionKind::number) {
    ImGui::BeginDisabled(question.is_over());
    draw_number(style, question);
    ImGui::EndDisabled();
  } else {
    ImGui::AlignTextToFramePadding();
    ImGui::TextDisabled("%s", kClickHere);
  }
  place_next(kTell, end);
  ImGui::BeginDisabled(question.is_over());
  if (ImGui::Button(kTell)) question.tell = true;
  ImGui::EndDisabled();
  if (question.said.empty()) return;
  ImGui::PushStyleColor(ImGuiCol_Text, colour_of(style, question.standing));
  draw_paragraph(question.said);
  ImGui::PopStyleColor();
}

void take_click(const Hovered& hovering, ShownQuestion& question) {
  if (!question.awaits_click() || !ImGui::IsMouseClicked(ImGuiMouseButton_Left)) return;
  const bool named = question.kind == QuestionKind::line ? hovering.line > 0 : hovering.sector >= 0;
  if (named) question.clicked = hovering;
}

}  // namespace warpscope
