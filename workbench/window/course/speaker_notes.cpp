// workbench/window/course/speaker_notes.cpp: what the speaker of a lesson reads, in a window of its
// own.
#include "workbench/window/course/speaker_notes.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "workbench/panels/panels.h"

namespace warpscope {
namespace {

void draw_part(const Style& style, const char* title, const std::string& words) {
  if (words.empty()) return;
  ImGui::Dummy({0, style.unit(0.5f)});
  ImGui::PushStyleColor(ImGuiCol_Text, style.colours.accent);
  ImGui::TextUnformatted(title);
  ImGui::PopStyleColor();
  draw_paragraph(words);
}

}  // namespace

std::string time_taken(double seconds) {
  const int whole = std::max(0, static_cast<int>(seconds));
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%d:%02d", whole / 60, whole % 60);
  return text.data();
}

void draw_notes_window(const Style& style, SpeakerNotes& notes) {
  if (!notes.shown()) return;
  const ImGuiViewport& main = *ImGui::GetMainViewport();
  const ImVec2 size{std::min(style.unit(64), 0.6f * main.Size.x),
                    std::min(style.unit(56), 0.6f * main.Size.y)};
  ImGui::SetNextWindowPos(
      {main.Pos.x + main.Size.x - size.x - style.unit(2), main.Pos.y + style.unit(6)},
      ImGuiCond_Appearing);
  ImGui::SetNextWindowSize(size, ImGuiCond_Appearing);
  // Not part of the main window, wherever it stands: the class sees the one, the speaker the other.
  ImGuiWindowClass apart;
  apart.ViewportFlagsOverrideSet = ImGuiViewportFlags_NoAutoMerge;
  ImGui::SetNextWindowClass(&apart);
  ImGui::PushStyleColor(ImGuiCol_WindowBg, style.colours.panel);
  const bool seen = ImGui::Begin("Speaker notes", &notes.open,
                                 ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoCollapse |
                                     ImGuiWindowFlags_NoFocusOnAppearing);
  ImGui::PopStyleColor();
  if (seen) {
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - notes.begun;
    ImGui::TextDisabled("%s, %s since the lesson began", notes.step.c_str(),
                        time_taken(taken.count()).c_str());
    push_face(style.large);
    draw_paragraph(notes.words.empty() ? "This step has no notes." : notes.words);
    ImGui::PopFont();
    draw_part(style, "Answer", notes.answer);
    draw_part(style, "Next step", notes.next);
  }
  ImGui::End();
}

}  // namespace warpscope
