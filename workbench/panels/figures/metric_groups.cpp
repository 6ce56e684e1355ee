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

void add_stall_bars(std::vector<GroupedRow>& drawn, const std::vector<MetricLine>& lines,
                    std::size_t bars) {
  if (bars == 0) return;
  const auto first = std::find_if(drawn.begin(), drawn.end(), [&](const GroupedRow& each) {
    if (each.row == nullptr) return false;
    const MetricLine& line = lines[each.row->index];
    return !line.starred && line.value->id.starts_with("stall.");
  });
  if (first == drawn.end()) return;
  std::vector<GroupedRow> rows;
  for (std::size_t bar = 0; bar <= bars; ++bar) rows.push_back({nullptr, "", 0, bar});
  drawn.insert(first, rows.begin(), rows.end());
}

void draw_stall_bar_row(const Style& style, Selection& selection, const std::vector<StallBar>& bars,
                        std::size_t bar) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float column = ImGui::GetContentRegionAvail().x, line = ImGui::GetTextLineHeight();
  ImGui::PushID(static_cast<int>(bar));
  if (ImGui::Selectable("##stalls", false,
                        ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowOverlap))
    selection.wanted_panel = "stalls";
  ImGui::PopID();
  const float left = at.x + column + 2 * ImGui::GetStyle().CellPadding.x;
  const float right = ImGui::GetItemRectMax().x - style.unit(0.5f);
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 low = list->GetClipRectMin(), high = list->GetClipRectMax();
  if (bar < bars.size()) draw_stall_label(style, bars[bar], at, at.y + line / 2, column);
  ImGui::PushClipRect({low.x, low.y}, {right, high.y}, false);
  if (bar == bars.size()) {
    const bool fits = left + stall_legend_width(style, bars) <= right;
    ImGui::SetCursorScreenPos({fits ? left : at.x, at.y});
    draw_stall_legend(style, bars, right - (fits ? left : at.x), true);
  } else if (bars[bar].warps() > 0) {
    draw_stall_pieces(style, bars[bar], {left, at.y}, line, (right - left) / bars[bar].warps());
  }
  ImGui::PopClipRect();
}

}  // namespace warpscope
