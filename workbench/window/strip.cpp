// workbench/window/strip.cpp: the strip below the panels that holds a lesson's words.
#include "workbench/window/strip.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>

namespace warpscope {
namespace {

constexpr float kMostRatio = 0.3f;  // of the window's height, for the words
constexpr float kPadUnits = 1.5f;

// The words' own face where it is loaded in the right size; else the large one, scaled.
class SpeechFace {
 public:
  explicit SpeechFace(const Style& style)
      : px_(speech_px(style, ImGui::GetIO().DisplaySize.y)),
        own_(style.speech != nullptr && style.speech_px == px_) {
    ImGui::PushFont(own_ ? style.speech : style.large);
    if (!own_) ImGui::SetWindowFontScale(px_ / ImGui::GetFont()->FontSize);
  }
  SpeechFace(const SpeechFace&) = delete;
  SpeechFace& operator=(const SpeechFace&) = delete;
  ~SpeechFace() {
    if (!own_) ImGui::SetWindowFontScale(1);
    ImGui::PopFont();
  }
  bool own() const { return own_; }

 private:
  float px_;
  bool own_;
};

float button_width(const char* words) {
  return ImGui::CalcTextSize(words).x + 2 * ImGui::GetStyle().FramePadding.x;
}

// One of the buttons at the right end, and what it does on hover.
bool strip_button(const char* words, bool possible, const char* hint) {
  ImGui::BeginDisabled(!possible);
  const bool clicked = ImGui::Button(words);
  ImGui::EndDisabled();
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", hint);
  return clicked;
}

void draw_buttons(float end, FrameState& state) {
  constexpr const char* kBack = "◀ back  B";
  constexpr const char* kNext = "next  N ▶";
  constexpr const char* kLeave = "leave  Esc";
  const float gap = ImGui::GetStyle().ItemSpacing.x;
  ImGui::SameLine(end - button_width(kBack) - button_width(kNext) - button_width(kLeave) - 2 * gap);
  if (strip_button(kBack, state.lesson_step > 1, "The step before (B, Page Up)."))
    state.lesson_move = -1;
  ImGui::SameLine();
  if (strip_button(kNext, state.lesson_step < state.lesson_steps, "The next step (N, Page Down)."))
    state.lesson_move = 1;
  ImGui::SameLine();
  if (strip_button(kLeave, true, "Back to what the window showed before the lesson (Esc)."))
    state.lesson_leave = true;
}

// Title and step, cut before the buttons.
void draw_title(const Style& style, float room, const FrameState& state) {
  const std::string step =
      "step " + std::to_string(state.lesson_step) + " of " + std::to_string(state.lesson_steps);
  const SpeechFace face(style);
  const float rest = ImGui::CalcTextSize(("  " + step).c_str()).x;
  ImGui::PushStyleColor(ImGuiCol_Text, style.colours.accent);
  draw_fitting_text(state.lesson_title, room - rest);
  ImGui::PopStyleColor();
  ImGui::SameLine(0, ImGui::CalcTextSize("  ").x);
  ImGui::TextDisabled("%s", step.c_str());
}

}  // namespace

float strip_height(const Style& style, FrameState& state) {
  if (state.lesson_steps == 0) return 0;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float pad = style.unit(kPadUnits), width = display.x - 2 * (style.unit(1) + pad);
  const SpeechFace face(style);
  // The window makes the face anew for its present height.
  if (!face.own()) state.style_changed = true;
  const float line = ImGui::GetTextLineHeight();
  LessonStrip& strip = state.strip;
  if (strip.words != state.lesson_words || strip.width != width || strip.size != line) {
    float most = 2 * line;
    for (const std::string& words : state.lesson_words)
      most = std::max(most, ImGui::CalcTextSize(words.c_str(), nullptr, false, width).y);
    most = std::min(most, std::floor(kMostRatio * display.y / line) * line);
    strip = {state.lesson_words, width, line, most, strip.shown, strip.box, strip.overflow};
  }
  return 2 * pad + std::max(line, ImGui::GetFrameHeight()) + ImGui::GetStyle().ItemSpacing.y +
         strip.lines_height;
}

void draw_strip(const Box& box, const Style& style, FrameState& state) {
  if (state.lesson_steps == 0) return;
  state.strip.box = box;
  const float pad = style.unit(kPadUnits);
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled({box.x0, box.y0}, {box.x1, box.y1}, style.colours.panel);
  list->AddRectFilled({box.x0, box.y0}, {box.x1, box.y0 + std::max(2.0f, style.unit(0.3f))},
                      style.colours.accent);
  ImGui::SetCursorScreenPos({box.x0 + pad, box.y0 + pad});
  ImGui::BeginChild("lesson", {box.width() - 2 * pad, box.height() - 2 * pad}, false,
                    ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse | kReached);
  begin_region(state.focus);
  const float end = ImGui::GetContentRegionMax().x;
  draw_title(style, end - style.unit(44), state);
  draw_buttons(end, state);
  ImGui::BeginChild("words", {0, 0}, false, ImGuiWindowFlags_NoNav);
  const std::string shown = state.lesson_title + "/" + std::to_string(state.lesson_step);
  if (state.strip.shown != shown) ImGui::SetScrollY(0);
  state.strip.shown = shown;
  {
    const SpeechFace face(style);
    ImGui::TextWrapped("%s", state.lesson_text.c_str());
    state.strip.overflow = ImGui::GetItemRectSize().y - state.strip.lines_height;
  }
  ImGui::EndChild();
  ImGui::EndChild();
}

}  // namespace warpscope
