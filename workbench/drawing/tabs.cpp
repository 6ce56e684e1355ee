// workbench/drawing/tabs.cpp: a strip of tabs that goes on in a second line where one is too
// narrow.
#include "workbench/drawing/tabs.h"

#include <imgui.h>

#include <algorithm>

namespace warpscope {

const Tab* draw_tabs(std::span<const Tab> tabs, std::string& active, const Style& style) {
  const ImGuiStyle& s = ImGui::GetStyle();
  const Tab* twice = nullptr;
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
    if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) twice = &tab;
    if (!chosen) continue;
    const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
    ImGui::GetWindowDrawList()->AddRectFilled({low.x, high.y - std::max(2.0f, style.unit(0.25f))},
                                              high, style.colours.accent);
  }
  ImGui::PopID();
  ImGui::PopStyleVar();
  return twice;
}

}  // namespace warpscope
