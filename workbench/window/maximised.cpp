// workbench/window/maximised.cpp: one panel in the place of all.
#include "workbench/window/maximised.h"

#include <imgui.h>

#include "workbench/window/frame.h"

namespace warpscope {

void toggle_maximised(FrameState& state) {
  if (!state.maximised.empty()) return state.maximised.clear();
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  state.maximised = state.centre_tab;
  for (const auto& [name, box] : state.last_boxes) {
    if (box.contains(mouse.x, mouse.y)) state.maximised = name;
  }
}

void maximise_by_click(const Tab* twice, const std::string& large, FrameState& state) {
  if (!large.empty()) {
    state.maximised = large;
    ImGui::SameLine();
    if (ImGui::Button("all panels")) state.maximised.clear();
    if (ImGui::IsItemHovered())
      ImGui::SetTooltip("Back to all panels (F11, Esc, or a double click on the tab).");
  }
  if (twice != nullptr) state.maximised = large.empty() ? twice->name : "";
}

const PanelRow* maximised_panel(FrameState& state) {
  const PanelRow* panel = find_panel(state.maximised);
  const PanelRow* wanted = find_panel(state.wanted_tab);
  if (panel != nullptr && wanted != nullptr) {
    state.maximised = wanted->name;
    return wanted;
  }
  return panel;
}

}  // namespace warpscope
