// workbench/panels/figures/metric_groups.cpp: the rows of Metrics in groups whose details fold.
#include "workbench/panels/figures/metric_groups.h"

#include <imgui.h>

#include <algorithm>
#include <array>

namespace warpscope {

bool is_chief(std::string_view id) {
  constexpr std::array<std::string_view, 21> kChief = {"rate.flops",
                                                       "rate.dram_bytes",
                                                       "rate.l2_bytes",
                                                       "rate.l1_bytes",
                                                       "rate.useful_bytes",
                                                       "dram.bytes_read",
                                                       "dram.bytes_write",
                                                       "l2.hit_ratio",
                                                       "l1.hit_ratio",
                                                       "l1.sectors_per_request_load",
                                                       "l1.sectors_per_request_store",
                                                       "shared.bank_conflicts",
                                                       "inst.executed",
                                                       "inst.lanes",
                                                       "issue.active",
                                                       "stall.long_scoreboard",
                                                       "occupancy.achieved",
                                                       "occupancy.theoretical",
                                                       "registers",
                                                       "local_bytes",
                                                       "model.flops"};
  return id.starts_with("roof.") || id.starts_with("time.") ||
         std::find(kChief.begin(), kChief.end(), id) != kChief.end();
}

std::vector<GroupedRow> grouped(const std::vector<TableRow>& rows,
                                const std::vector<MetricLine>& lines,
                                const std::set<std::string>& open, bool every, bool heads) {
  std::vector<GroupedRow> drawn;
  std::size_t head = 0;
  const std::string* group = nullptr;
  for (const TableRow& row : rows) {
    const MetricLine& line = lines[row.index];
    if (!heads) {
      drawn.push_back({&row});
      continue;
    }
    if (group == nullptr || *group != line.group) {
      head = drawn.size();
      drawn.push_back({nullptr, line.group, 0});
    }
    group = &line.group;
    const bool detail = !line.starred && !is_chief(line.value->id);
    if (detail) ++drawn[head].details;
    if (!detail || every || open.count(line.group) != 0) drawn.push_back({&row});
  }
  return drawn;
}

void draw_group_head(const Style& style, const GroupedRow& head, bool every,
                     std::set<std::string>& open) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  const bool is_open = every || open.count(head.group) != 0;
  const std::string words = head.details == 0 ? head.group
                            : is_open
                                ? "▾ " + head.group
                                : "▸ " + head.group + ", " + std::to_string(head.details) + " more";
  const ImVec2 start = ImGui::GetCursorPos();
  const bool pressed =
      ImGui::Selectable(("##" + head.group).c_str(), false, ImGuiSelectableFlags_SpanAllColumns);
  if (ImGui::IsItemHovered() && head.details > 0 && !every)
    ImGui::SetTooltip(is_open ? "A click folds the details." : "A click shows the details.");
  ImGui::SetCursorPos(start);
  ImGui::PushStyleColor(ImGuiCol_Text, style.colours.accent);
  ImGui::TextUnformatted(words.c_str());
  ImGui::PopStyleColor();
  if (!pressed || every) return;
  if (is_open) {
    open.erase(head.group);
  } else {
    open.insert(head.group);
  }
}

}  // namespace warpscope
