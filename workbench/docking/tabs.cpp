// workbench/docking/tabs.cpp: a strip of tabs that goes on in a second line where one is too
// narrow.
#include "workbench/docking/tabs.h"

#include <imgui.h>

#include <algorithm>

#include "workbench/drawing/focus.h"

namespace warpscope {

TabEvents draw_tabs(std::span<const Tab> tabs, std::string& active, const Style& style) {
  const ImGuiStyle& s = ImGui::GetStyle();
  TabEvents events;
  const float gap = s.ItemInnerSpacing.x, room = ImGui::GetContentRegionAvail().x;
  float used = 0;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {gap, style.unit(0.25f)});
  ImGui::PushID("tabs");
  for (const Tab& tab : tabs) {
    const bool chosen = active == tab.name;
    const float width = ImGui::CalcTextSize(tab.title).x + 2 * s.FramePadding.x;
    if (used > 0 && used + gap + width <= room) {
      ImGui::SameLine();
      used += gap;
    } else {
      used = 0;
    }
    used += width;
    ImGui::PushStyleColor(ImGuiCol_Button, chosen ? style.colours.raised : style.colours.window);
    ImGui::PushStyleColor(ImGuiCol_Text, chosen ? style.colours.text : style.colours.muted);
    if (ImGui::Button(tab.title)) active = tab.name;
    ImGui::PopStyleColor(2);
    const bool hovered = ImGui::IsItemHovered();
    if (hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) events.twice = &tab;
    if (hovered && ImGui::IsMouseClicked(ImGuiMouseButton_Middle)) events.closed = &tab;
    if ((hovered && ImGui::IsMouseClicked(ImGuiMouseButton_Right)) || menu_asked())
      events.menu = &tab;
    if (ImGui::IsItemActive() && ImGui::IsMouseDragging(ImGuiMouseButton_Left))
      events.dragged = &tab;
    if (!chosen) continue;
    const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
    ImGui::GetWindowDrawList()->AddRectFilled({low.x, high.y - std::max(2.0f, style.unit(0.25f))},
                                              high, style.colours.accent);
  }
  ImGui::PopID();
  ImGui::PopStyleVar();
  return events;
}

}  // namespace warpscope
