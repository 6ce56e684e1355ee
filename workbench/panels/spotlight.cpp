// workbench/panels/spotlight.cpp: what a lesson points at, and where a frame drew it.
#include "workbench/panels/spotlight.h"

#include <imgui.h>

#include <algorithm>
#include <utility>

namespace warpscope {

void scroll_to_lit(const PanelContext& context, int index, float row, float header) {
  if (context.spotlight == nullptr) return;
  if (!context.spotlight->fresh && context.spotlight->row == index) return;
  const float room = ImGui::GetWindowHeight() - header;
  const float at = static_cast<float>(index) * row - (room - row) / 2;
  ImGui::SetScrollY(std::max(0.0f, at));
  context.spotlight->fresh = false;
  context.spotlight->row = index;
}

int lit_line(const PanelContext& context, const std::vector<std::string>& lines, float row) {
  if (context.spotlight == nullptr || context.spotlight->line.empty()) return -1;
  const auto found = std::find_if(lines.begin(), lines.end(), [&](const std::string& line) {
    return line.find(context.spotlight->line) != std::string::npos;
  });
  if (found == lines.end()) return -1;
  const int index = static_cast<int>(found - lines.begin());
  scroll_to_lit(context, index, row);
  return index;
}

bool is_lit(const PanelContext& context, const std::string& metric) {
  return context.spotlight != nullptr && !metric.empty() && context.spotlight->metric == metric;
}

void light_row(const PanelContext& context) {
  if (context.spotlight == nullptr) return;
  const ImVec2 at = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  const float y = ImGui::GetCursorScreenPos().y, gap = ImGui::GetStyle().ItemSpacing.y / 2;
  const Box row{at.x, y - gap, at.x + size.x, y + ImGui::GetTextLineHeight() + gap};
  context.spotlight->box = overlap(row, box_at(at.x, at.y, size.x, size.y));
}

void light_axis(const PanelContext& context, const std::string& axis, float top) {
  Spotlight* spot = context.spotlight;
  if (spot == nullptr || spot->axis != axis) return;
  const ImVec2 at = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  const float bottom = ImGui::GetCursorScreenPos().y;
  if (std::exchange(spot->fresh, false)) ImGui::SetScrollFromPosY((top + bottom) / 2 - at.y, 0.5f);
  spot->box = overlap(Box{at.x, top, at.x + size.x, bottom}, box_at(at.x, at.y, size.x, size.y));
}

}  // namespace warpscope
