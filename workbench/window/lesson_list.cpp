// workbench/window/lesson_list.cpp: the list of lessons, from which one is started.
#include "workbench/window/lesson_list.h"

#include <imgui.h>

#include <algorithm>

#include "workbench/drawing/keys.h"
#include "workbench/window/presenter.h"

namespace warpscope {
namespace {

// "this device", "this session", "h200-csrmm.wsj.gz".
std::string plays_on(const Workspace& workspace, const std::string& scene) {
  if (!workspace.recorded()) return "this device";
  const auto recording = recording_for(workspace, scene);
  return recording ? recording->filename().string() : "the session at hand";
}

std::string hint_of(const Workspace& workspace, const LessonOutline& row) {
  const std::string where =
      !workspace.recorded()
          ? "Each step first measures the figures that it quotes, on this machine's GPU."
      : recording_for(workspace, row.scene)
          ? "Opens the recording that ships; leaving brings back the session at hand."
          : "Quotes the figures of the session at hand.";
  return row.path.filename().string() + "\n" + where;
}

void draw_row(const Workspace& workspace, const Style& style, FrameState& state, int index) {
  const LessonOutline& row = state.lessons.rows[static_cast<std::size_t>(index)];
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  const bool chosen = index == state.lessons.chosen;
  ImGui::PushID(index);
  if (!row.broken.empty()) {
    ImGui::PushStyleColor(ImGuiCol_Text, style.colours.bad);
    ImGui::TextWrapped("%s", row.broken.c_str());
    ImGui::PopStyleColor();
    return ImGui::PopID();
  }
  const bool clicked =
      ImGui::Selectable(row.title.c_str(), chosen,
                        ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_DontClosePopups);
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", hint_of(workspace, row).c_str());
  if (clicked) {
    state.lesson_wish = row.path;
    state.lessons.open = false;
  }
  const auto cell = [](const std::string& text) {
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(text.c_str());
  };
  cell(row.scene);
  cell(std::to_string(row.steps));
  cell(std::to_string(row.minutes));
  cell(plays_on(workspace, row.scene));
  ImGui::PopID();
}

// Up and Down choose a lesson that can be played, Enter starts it.
void take_keys(FrameState& state) {
  LessonList& list = state.lessons;
  const int count = static_cast<int>(list.rows.size());
  for (const auto& [key, by] :
       {std::pair(ImGuiKey_UpArrow, -1), std::pair(ImGuiKey_DownArrow, 1)}) {
    if (key_pressed(key)) list.chosen = std::clamp(list.chosen + by, 0, std::max(0, count - 1));
  }
  if (!key_pressed(ImGuiKey_Enter) || list.chosen >= count) return;
  const LessonOutline& row = list.rows[static_cast<std::size_t>(list.chosen)];
  if (!row.broken.empty()) return;
  state.lesson_wish = row.path;
  list.open = false;
}

}  // namespace

void toggle_lessons(const Workspace& workspace, FrameState& state) {
  LessonList& list = state.lessons;
  list.open = !list.open;
  if (!list.open) return;
  list.rows = shipped_lessons();
  std::stable_partition(list.rows.begin(), list.rows.end(), [&](const LessonOutline& row) {
    return row.scene == workspace.scene().name;
  });
}

void draw_lesson_list(const Workspace& workspace, const Style& style, FrameState& state) {
  constexpr const char* kName = "lessons";
  LessonList& list = state.lessons;
  if (list.open && !ImGui::IsPopupOpen(kName)) {
    // A click elsewhere, or the keyboard's own Esc, has closed it.
    if (list.shown) {
      list.open = list.shown = false;
      return;
    }
    ImGui::OpenPopup(kName);
  }
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({display.x / 2, display.y / 2}, ImGuiCond_Always, {0.5f, 0.5f});
  ImGui::SetNextWindowSize({std::min(style.unit(108), 0.94f * display.x), 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {style.unit(2), style.unit(1.5f)});
  list.shown = ImGui::BeginPopup(kName);
  ImGui::PopStyleVar();
  if (!list.shown) return;
  take_keys(state);
  ImGui::PushFont(style.large);
  ImGui::TextUnformatted("Lessons");
  ImGui::PopFont();
  draw_note(style,
            "Enter or a click starts one · Page Down and Page Up step · Esc leaves, and brings "
            "back what the window shows now");
  if (ImGui::BeginTable("lessons", 5, ImGuiTableFlags_RowBg | ImGuiTableFlags_PadOuterX)) {
    ImGui::TableSetupColumn("title", ImGuiTableColumnFlags_WidthStretch);
    for (const char* name : {"scene", "steps", "minutes", "plays on"})
      ImGui::TableSetupColumn(name, ImGuiTableColumnFlags_WidthFixed);
    ImGui::TableHeadersRow();
    for (int i = 0; i < static_cast<int>(list.rows.size()); ++i)
      draw_row(workspace, style, state, i);
    ImGui::EndTable();
  }
  if (list.rows.empty()) draw_note(style, "There are no lessons in assets/lessons.");
  if (!list.open) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
  list.shown = list.open;
}

}  // namespace warpscope
