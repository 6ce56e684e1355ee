// workbench/window/strip.cpp: a lesson in the window: the strip with its words, and its spotlight.
#include "workbench/window/strip.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "scenes/catalogue.h"
#include "workbench/window/presenter.h"

namespace warpscope {
namespace {

// The most of the window's height that the words take; and where a step has a question.
constexpr float kMostRatio = 0.3f, kMostAskingRatio = 0.42f;
constexpr float kPadUnits = 1.5f;

class SpeechFace {
 public:
  explicit SpeechFace(const Style& style) {
    push_face(speech_face(style, ImGui::GetIO().DisplaySize.y));
  }
  SpeechFace(const SpeechFace&) = delete;
  SpeechFace& operator=(const SpeechFace&) = delete;
  ~SpeechFace() { ImGui::PopFont(); }
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

float offers_height(const FrameState& state) {
  return state.lesson_offers ? ImGui::GetFrameHeight() + ImGui::GetStyle().ItemSpacing.y : 0;
}

// Where to go on: a lesson, another story, a kernel of the person's own.
void draw_offers(FrameState& state) {
  const auto offer = [&](const std::string& to, const char* words, const char* hint) {
    if (strip_button(words, true, hint)) state.lesson_then = to;
    ImGui::SameLine();
  };
  offer(kOfferLessons, "a lesson", "The list of lessons (Ctrl+L).");
  for (const Scene& scene : built_in_scenes()) {
    if (scene.name != state.lesson_scene)
      offer(scene.name, scene.name.c_str(), scene.title.c_str());
  }
  offer(kOfferOpen, "open my kernel",
        "A .cu file, or a folder with a scene.toml and its kernels (Ctrl+O).");
  offer(kOfferCapture, "capture my program",
        "A kernel of a program that runs on a GPU, with its data (Ctrl+K).");
}

}  // namespace

float strip_height(const Style& style, FrameState& state) {
  if (state.lesson_steps == 0) return 0;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float pad = style.unit(kPadUnits), width = display.x - 2 * (style.unit(1) + pad);
  const SpeechFace face(style);
  const float line = ImGui::GetTextLineHeight();
  LessonStrip& strip = state.strip;
  strip.size = line;
  const LessonStrip::Laid laid{state.lesson_words, state.strip.questions, width, line};
  strip.height = strip.lines_height.of(laid, [&] {
    float most = 2 * line;
    bool asks = false;
    for (std::size_t i = 0; i < state.lesson_words.size(); ++i) {
      float height = ImGui::CalcTextSize(state.lesson_words[i].c_str(), nullptr, false, width).y;
      if (i < state.strip.questions.size()) {
        height += question_height(state.strip.questions[i], width);
        asks = asks || state.strip.questions[i].any();
      }
      most = std::max(most, height);
    }
    const float limit = (asks ? kMostAskingRatio : kMostRatio) * display.y;
    return std::min(most, std::floor(limit / line) * line);
  });
  return 2 * pad + std::max(line, ImGui::GetFrameHeight()) + ImGui::GetStyle().ItemSpacing.y +
         strip.height + offers_height(state);
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
  ImGui::BeginChild("lesson", {box.width() - 2 * pad, box.height() - 2 * pad}, kReached,
                    ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  begin_region(state.focus);
  const float end = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x;
  draw_title(style, end - style.unit(44), state);
  draw_buttons(end, state);
  const float offers = offers_height(state);
  const bool asks = state.strip.question.any;
  ImGui::BeginChild("words", {0, offers > 0 ? -offers : 0}, asks ? kReached : 0,
                    asks ? 0 : ImGuiWindowFlags_NoNav);
  if (state.strip.shown.changes_to({state.lesson_title, state.lesson_step})) ImGui::SetScrollY(0);
  {
    const SpeechFace face(style);
    const float top = ImGui::GetCursorPosY(), gap = ImGui::GetStyle().ItemSpacing.y;
    draw_paragraph(state.lesson_text);
    draw_question(style, state.strip.question);
    state.strip.overflow =
        ImGui::GetCursorPosY() - gap - top - std::min(state.strip.height, ImGui::GetWindowHeight());
    // What is said to an answer comes into view.
    if (state.strip.said.changes_to(state.strip.question.said) &&
        !state.strip.question.said.empty())
      ImGui::SetScrollHereY(1);
  }
  ImGui::EndChild();
  if (state.lesson_offers && state.lesson_step == state.lesson_steps) draw_offers(state);
  ImGui::EndChild();
}

void draw_spotlight(const Box& area, const Style& style, FrameState& state) {
  const Spotlight& spot = state.spotlight;
  Box lit = spot.box;
  if (!spot.panel.empty() && state.boxes.count(spot.panel) != 0) lit = state.boxes[spot.panel];
  lit = overlap(lit, area);
  if (lit.empty()) return;
  // Above the panels and below menus and tooltips; it takes no clicks.
  ImGui::SetNextWindowPos({area.x0, area.y0});
  ImGui::SetNextWindowSize({area.width(), area.height()});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});  // else its edges are clipped
  ImGui::Begin("spotlight", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoBackground |
                   ImGuiWindowFlags_NoInputs | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav);
  ImGui::PopStyleVar();
  constexpr float kDim = 0.4f;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImU32 dim = faded(style.colours.window, kDim);
  for (const Box& part :
       {Box{area.x0, area.y0, area.x1, lit.y0}, Box{area.x0, lit.y1, area.x1, area.y1},
        Box{area.x0, lit.y0, lit.x0, lit.y1}, Box{lit.x1, lit.y0, area.x1, lit.y1}}) {
    if (!part.empty()) list->AddRectFilled({part.x0, part.y0}, {part.x1, part.y1}, dim);
  }
  const float width = std::max(2.0f, std::round(style.unit(0.3f)));
  list->AddRect({lit.x0 + width / 2, lit.y0 + width / 2}, {lit.x1 - width / 2, lit.y1 - width / 2},
                style.colours.accent, 0, width);
  ImGui::End();
}

}  // namespace warpscope
