// workbench/window/maximise.cpp: one panel in the place of all, and the spotlight of a lesson.
#include "workbench/window/maximise.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>

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

void give_all(Region region, Layout& layout) {
  std::erase_if(layout.places, [region](const Place& place) {
    return std::find(place.regions.begin(), place.regions.end(), region) == place.regions.end();
  });
  for (Place& place : layout.places) place.box = layout.all;
  layout.splitters.clear();
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
                style.colours.accent, 0, 0, width);
  ImGui::End();
}

}  // namespace warpscope
