// workbench/panels/figures/stalls_panel.cpp: what warps wait for, as one bar per variant, and each
// reason of the selected one in a table.
#include <imgui.h>

#include <algorithm>
#include <string>
#include <vector>

#include "workbench/drawing/focus.h"
#include "workbench/panels/panels.h"
#include "workbench/panels/stalls/stall_bars.h"
#include "workbench/panels/stalls/stall_causes.h"
#include "workbench/workspace/session/selected_points.h"

namespace warpscope {
namespace {

constexpr const char* kPanel = "stalls";
std::vector<StallBar> bars_of(const SessionView& view, const std::string& focus) {
  std::vector<StallBar> bars;
  for (const Variant* variant : view.points.shown_variants()) {
    const PointState state = view.state(variant->name);
    const bool usable =
        state.point != nullptr && state.apart.empty() && has_figures(state.point->verdict.outcome);
    StallBar bar{variant->name, variant->label, variant_index(view.scene(), variant->name), {}};
    if (usable) bar.stalls = stalls_of(view, state.point->metrics);
    if (bar.stalls || variant->name == focus) bars.push_back(std::move(bar));
  }
  return bars;
}

struct Columns {
  float label = 0, number = 0, bar = 0;
};

void draw_bar(const Style& style, Selection& selection, const StallBar& bar, const Columns& columns,
              double per_warp) {
  const float line = ImGui::GetTextLineHeight(), row = line + style.unit(0.75f);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::PushID(bar.variant.c_str());
  if (ImGui::Selectable("##row", selection.variant == bar.variant,
                        ImGuiSelectableFlags_AllowOverlap,
                        {columns.label, row - ImGui::GetStyle().ItemSpacing.y}))
    selection.variant = bar.variant;
  const ImVec2 after = ImGui::GetCursorScreenPos();
  // A row that the lower edge cuts through is left out as a whole.
  if (at.y + line > ImGui::GetWindowDrawList()->GetClipRectMax().y) return ImGui::PopID();
  const float middle = at.y + (row - ImGui::GetStyle().ItemSpacing.y) / 2;
  draw_stall_label(style, bar, at, middle, columns.label);
  const float left = at.x + columns.label + style.unit(0.5f);
  if (!bar.stalls) {
    ImGui::SetCursorScreenPos({left, middle - line / 2});
    ImGui::TextDisabled("–");
    explain_missing("no stall reason was counted at this point", kCountAllStalls);
  } else {
    draw_stall_pieces(style, bar, {left, at.y}, row - ImGui::GetStyle().ItemSpacing.y, per_warp);
    const std::string total =
        (bar.whole() ? "" : "≥ ") + format_value(bar.stalls->all(), "1") + " + 1 cycles";
    ImGui::SetCursorScreenPos(
        {left + columns.bar + columns.number - ImGui::CalcTextSize(total.c_str()).x,
         middle - line / 2});
    ImGui::TextUnformatted(total.c_str());
    if (ImGui::IsItemHovered())
      ImGui::SetTooltip(
          "Cycles that a warp needs per instruction: those in which it waits, and the one in which "
          "it is issued.");
  }
  ImGui::SetCursorScreenPos(after);
  ImGui::PopID();
}

// Columns and scale of all bars.
struct BarLayout {
  Columns columns;
  double most = 0;
  bool as_share = true;
  void draw(const Style& style, Selection& selection, const StallBar& bar) const {
    const double all = as_share && bar.whole() ? bar.warps() : most;
    draw_bar(style, selection, bar, columns, all > 0 ? columns.bar / all : 0);
  }
};

BarLayout layout_of(const Style& style, const StallsPanel& state,
                    const std::vector<StallBar>& bars) {
  BarLayout layout;
  layout.as_share = state.as_share;
  Columns& columns = layout.columns;
  for (const StallBar& bar : bars)
    columns.label = std::max(columns.label, ImGui::CalcTextSize(bar.label.c_str()).x);
  const float width = ImGui::GetContentRegionAvail().x;
  columns.label =
      std::min(columns.label + ImGui::GetTextLineHeight() * 1.5f + style.unit(1), width * 0.4f);
  columns.number = ImGui::CalcTextSize("≥ 9999.9 + 1 cycles").x + style.unit(1);
  columns.bar = std::max(0.0f, width - columns.label - columns.number - style.unit(0.5f));
  for (const StallBar& bar : bars) layout.most = std::max(layout.most, bar.warps());
  return layout;
}

// The reasons of the selected variant, the largest first.
void draw_reasons(const Style& style, const StallBar& bar) {
  std::vector<StallPart> parts = bar.stalls->parts;
  std::erase_if(parts, [](const StallPart& part) { return part.warps <= 0; });
  std::stable_sort(parts.begin(), parts.end(),
                   [](const StallPart& a, const StallPart& b) { return a.warps > b.warps; });
  constexpr ImGuiTableFlags kFlags =
      ImGuiTableFlags_RowBg | ImGuiTableFlags_BordersInnerV | ImGuiTableFlags_PadOuterX;
  if (!ImGui::BeginTable("reasons", 4, kFlags)) return;
  ImGui::TableSetupColumn("a warp waits for", ImGuiTableColumnFlags_WidthFixed);
  ImGui::TableSetupColumn("cycles", ImGuiTableColumnFlags_WidthFixed);
  ImGui::TableSetupColumn("share", ImGuiTableColumnFlags_WidthFixed);
  ImGui::TableSetupColumn("what it is, and what shortens it", ImGuiTableColumnFlags_WidthStretch);
  reach_headers();
  ImGui::TableHeadersRow();
  for (const StallPart& part : parts) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float size = ImGui::GetTextLineHeight() * 0.5f;
    ImGui::GetWindowDrawList()->AddRectFilled({at.x, at.y + size / 2},
                                              {at.x + size, at.y + 1.5f * size},
                                              stall_colour(style, part.reason->group));
    ImGui::SetCursorScreenPos({at.x + 2 * size, at.y});
    ImGui::TextUnformatted(part.reason->name);
    if (ImGui::IsItemHovered()) explain_stall(part, bar);
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(format_value(part.warps, "1").c_str());
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(bar.whole() ? bar.share_words(part.warps).c_str() : "–");
    ImGui::TableNextColumn();
    draw_paragraph(part.reason->sentence);
  }
  ImGui::EndTable();
}

void draw_reasons_of(const Style& style, const StallBar& focus) {
  ImGui::Dummy({0, style.unit(0.25f)});
  draw_reasons(style, focus);
  if (!focus.stalls->uncounted.empty()) {
    draw_note(style, std::to_string(focus.stalls->uncounted.size()) +
                         " reasons were not counted at this point. " + kCountAllStalls);
  }
  ImGui::Dummy({0, style.unit(0.5f)});
}

ExportWish rows_of(const std::vector<StallBar>& bars, const std::string& key) {
  static const TableColumn kColumns[] = {{"variant", ""},   {"configuration", ""}, {"reason", ""},
                                         {"group", ""},     {"CUPTI", ""},         {"warps", "1"},
                                         {"share", "ratio"}};
  std::vector<TableRow> rows;
  for (const StallBar& bar : bars) {
    if (!bar.stalls) continue;
    for (const StallPart& part : bar.stalls->parts) {
      const Metric* metric = find_metric(part.reason->id);
      const std::optional<double> share =
          bar.whole() && bar.warps() > 0 ? std::optional(part.warps / bar.warps()) : std::nullopt;
      rows.push_back({{words_cell(bar.variant), words_cell(key), words_cell(part.reason->name),
                       words_cell(to_text(part.reason->group)),
                       words_cell(metric != nullptr ? metric->cupti_name : ""),
                       figure_cell(part.warps, "1"), figure_cell(share, "ratio")},
                      rows.size()});
    }
  }
  return rows_as_csv(kPanel, kColumns, rows);
}

// How the bars are drawn, their legend, and the button that writes them.
void draw_tools(const PanelContext& context, Selection& selection, StallsPanel& state,
                const std::vector<StallBar>& bars) {
  if (tool_button(state.as_share ? "as shares" : "as cycles")) state.as_share = !state.as_share;
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("Bars of equal length, or bars as long as the cycles per instruction.");
  if (!for_slides()) ImGui::SameLine();
  if (tool_button("CSV")) selection.wish = rows_of(bars, context.view.key());
  if (!for_slides()) ImGui::SameLine();
  draw_stall_legend(context.style, bars, ImGui::GetContentRegionAvail().x, false);
}

}  // namespace

void draw_stalls_panel(const PanelContext& context, Selection& selection, StallsPanel& state) {
  const Style& style = context.style;
  if (panel_heading(context, selection, selection.variant) == nullptr) {
    // Nothing was measured: the causes may be modelled all the same.
    ImGui::BeginChild("stalls", {0, 0}, kReached);
    draw_stall_causes(context, selection, state);
    return ImGui::EndChild();
  }
  const std::vector<StallBar> bars = bars_of(context.view, selection.variant);
  const auto focus = std::find_if(bars.begin(), bars.end(), [&](const StallBar& bar) {
    return bar.variant == selection.variant;
  });
  const bool counted = std::any_of(bars.begin(), bars.end(),
                                   [](const StallBar& bar) { return bar.stalls.has_value(); });
  ImGui::BeginChild("stalls", {0, 0}, kReached);
  draw_stall_causes(context, selection, state);
  ImGui::Dummy({0, style.unit(0.5f)});
  if (!counted) {
    draw_note(style, std::string("No stall reason was counted here. ") + kCountAllStalls);
    return ImGui::EndChild();
  }
  draw_tools(context, selection, state, bars);
  const bool has_focus = focus != bars.end() && focus->stalls.has_value();
  const BarLayout layout = layout_of(style, state, bars);
  const std::string& baseline = context.view.points.baseline_id(selection.variant).variant;
  const auto is_above = [&](const StallBar& bar) {
    return bar.variant == selection.variant || bar.variant == baseline;
  };
  // The focus and its baseline, the reasons of the focus, then all others.
  if (has_focus) draw_paragraph(focus->label + ": " + stall_sentence(*focus->stalls));
  for (const StallBar& bar : bars) {
    if (is_above(bar)) layout.draw(style, selection, bar);
  }
  if (has_focus) draw_reasons_of(style, *focus);
  for (const StallBar& bar : bars) {
    if (!is_above(bar)) layout.draw(style, selection, bar);
  }
  ImGui::Dummy({0, 0});
  ImGui::EndChild();
}

}  // namespace warpscope
