// workbench/panels/figures/stalls_panel.cpp: what warps wait for, as one bar per variant, and each
// reason of the selected one in a table.
#include <imgui.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "profiling/overview/stall_reasons.h"
#include "workbench/drawing/focus.h"
#include "workbench/drawing/plot.h"
#include "workbench/panels/panels.h"
#include "workbench/panels/source/source_listing.h"
#include "workbench/panels/stalls/stall_causes.h"
#include "workbench/workspace/session/selected_points.h"

namespace warpscope {
namespace {

constexpr const char* kPanel = "stalls";
constexpr const char* kCollect =
    "The counters “standard” have three of the 18 reasons, “full” has all: choose a set in the top "
    "bar, or measure with --counters full.";

struct Bar {
  const Variant* variant = nullptr;
  int index = 0;  // of the variant in its scene
  std::optional<Stalls> stalls;
  // Counted reasons, and the others where they are known.
  double warps() const { return stalls ? stalls->all() : 0; }
  bool whole() const { return stalls && (stalls->uncounted.empty() || stalls->others); }
};

ImU32 group_colour(const Style& style, StallGroup group) {
  constexpr std::array<int, kStallGroups> kLanes = {4, 13, 20, 26, 31};
  return lane_colour(style, kLanes[static_cast<std::size_t>(group)]);
}

std::vector<Bar> bars_of(const SessionView& view, const std::string& focus) {
  std::vector<Bar> bars;
  const double most = scheduler_warps(architecture_of(view));
  for (const Variant* variant : view.points.shown_variants()) {
    const PointState state = view.state(variant->name);
    const bool usable =
        state.point != nullptr && state.apart.empty() && has_figures(state.point->verdict.outcome);
    Bar bar{variant, variant_index(view.scene(), variant->name), {}};
    if (usable) bar.stalls = stalls_of(state.point->metrics, most);
    if (bar.stalls || variant->name == focus) bars.push_back(std::move(bar));
  }
  return bars;
}

// What the colours mean; a group that does not fit goes to the next line.
void draw_legend(const Style& style) {
  const float size = ImGui::GetTextLineHeight() * 0.7f;
  for (int i = 0; i < kStallGroups; ++i) {
    const auto group = static_cast<StallGroup>(i);
    const float width = size + style.unit(2) + ImGui::CalcTextSize(to_text(group)).x;
    if (i > 0) ImGui::SameLine(0, style.unit(1.5f));
    if (i > 0 && ImGui::GetContentRegionAvail().x < width) ImGui::NewLine();
    ImGui::BeginGroup();
    const float x = ImGui::GetCursorScreenPos().x;
    ImGui::Dummy({size, ImGui::GetTextLineHeight()});
    ImGui::SameLine(0, style.unit(0.75f));
    ImGui::TextUnformatted(to_text(group));
    const float y = (ImGui::GetItemRectMin().y + ImGui::GetItemRectMax().y - size) / 2;
    ImGui::GetWindowDrawList()->AddRectFilled({x, y}, {x + size, y + size},
                                              group_colour(style, group), style.unit(0.25f));
    ImGui::EndGroup();
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", sentence_of(group));
  }
}

void explain(const StallPart& part, const Bar& bar) {
  const Metric* metric = find_metric(part.reason->id);
  const std::string share =
      bar.whole() ? ", " + format_value(part.warps / bar.warps(), "ratio") + " of all waiting" : "";
  ImGui::SetTooltip("%s (%s)\na warp waits %s cycles for it per instruction%s.\n%s\n%s",
                    part.reason->name, to_text(part.reason->group),
                    format_value(part.warps, "1").c_str(), share.c_str(), part.reason->sentence,
                    metric != nullptr ? metric->cupti_name.c_str() : "");
}

void draw_dashes(ImDrawList* list, ImVec2 low, ImVec2 high, const Style& style) {
  const ImVec2 corners[] = {low, {high.x, low.y}, high, {low.x, high.y}, low};
  for (int i = 0; i < 4; ++i) {
    add_dashed_line(list, corners[i], corners[i + 1], style.colours.muted,
                    std::max(1.0f, style.unit(0.125f)), style.unit(0.5f));
  }
}

// Words in the middle of a piece, where they have room.
void draw_inside(ImDrawList* list, ImVec2 low, ImVec2 high, const std::string& words, ImU32 colour,
                 float gap) {
  const ImVec2 size = ImGui::CalcTextSize(words.c_str());
  if (size.x + 2 * gap > high.x - low.x) return;
  list->AddText({low.x + gap, (low.y + high.y - size.y) / 2}, colour, words.c_str());
}

bool points_at(ImVec2 low, ImVec2 high) {
  return ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(low, high);
}

// The pieces of a bar from `low` on, `per_warp` pixels long for each warp.
void draw_pieces(const Style& style, const Bar& bar, ImVec2 low, float height, double per_warp) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  double x = low.x;
  const float gap = std::max(1.0f, style.unit(0.125f));
  for (int i = 0; i < kStallGroups; ++i) {
    const auto group = static_cast<StallGroup>(i);
    const double from = x;
    for (const StallPart& part : bar.stalls->parts) {
      if (part.reason->group != group || part.warps <= 0) continue;
      const ImVec2 a{static_cast<float>(x), low.y};
      x += part.warps * per_warp;
      const ImVec2 b{static_cast<float>(x), low.y + height};
      list->AddRectFilled(a, {b.x - (b.x - a.x > 3 * gap ? gap : 0), b.y},
                          group_colour(style, group));
      if (points_at(a, b)) explain(part, bar);
    }
    const double warps = bar.stalls->of(group);
    const std::string share =
        bar.whole() ? format_value(warps / bar.warps(), "ratio") : format_value(warps, "1");
    draw_inside(list, {static_cast<float>(from), low.y}, {static_cast<float>(x), low.y + height},
                std::string(to_text(group)) + " " + share, ink_on(group_colour(style, group)),
                style.unit(0.5f));
  }
  if (!bar.stalls->others || *bar.stalls->others <= 0) return;
  const ImVec2 a{static_cast<float>(x), low.y};
  const ImVec2 b{static_cast<float>(x + *bar.stalls->others * per_warp), low.y + height};
  draw_dashes(list, a, b, style);
  draw_inside(list, a, b, "other reasons", style.colours.muted, style.unit(0.5f));
  if (points_at(a, b)) {
    ImGui::SetTooltip(
        "A warp waits %s cycles per instruction for the %zu reasons that were not counted.\n"
        "Derived: achieved occupancy ÷ share of cycles that issue × warps that a scheduler holds, "
        "less what was counted.\nWhere all 18 were counted on an H200, their sum was 0.88 to 1.01 "
        "of that in 44 of 46 points, and 0.69 in two.\n%s",
        format_value(*bar.stalls->others, "1").c_str(), bar.stalls->uncounted.size(), kCollect);
  }
}

struct Columns {
  float label = 0, number = 0, bar = 0;
};

void draw_bar(const Style& style, Selection& selection, const Bar& bar, const Columns& columns,
              double per_warp) {
  const float line = ImGui::GetTextLineHeight(), row = line + style.unit(0.75f);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::PushID(bar.variant->name.c_str());
  if (ImGui::Selectable("##row", selection.variant == bar.variant->name,
                        ImGuiSelectableFlags_AllowOverlap,
                        {columns.label, row - ImGui::GetStyle().ItemSpacing.y}))
    selection.variant = bar.variant->name;
  const ImVec2 after = ImGui::GetCursorScreenPos();
  // A row that the lower edge cuts through is left out as a whole.
  if (at.y + line > ImGui::GetWindowDrawList()->GetClipRectMax().y) return ImGui::PopID();
  const float middle = at.y + (row - ImGui::GetStyle().ItemSpacing.y) / 2;
  draw_marker(ImGui::GetWindowDrawList(), {at.x + line * 0.6f, middle}, line * 0.3f,
              variant_marker(bar.index), variant_colour(style, bar.index), Fill::solid);
  ImGui::SetCursorScreenPos({at.x + line * 1.2f, middle - line / 2});
  draw_fitting_text(bar.variant->label, columns.label - line * 1.2f - style.unit(0.5f));
  const float left = at.x + columns.label + style.unit(0.5f);
  if (!bar.stalls) {
    ImGui::SetCursorScreenPos({left, middle - line / 2});
    ImGui::TextDisabled("–");
    explain_missing("no stall reason was counted at this point", kCollect);
  } else {
    draw_pieces(style, bar, {left, at.y}, row - ImGui::GetStyle().ItemSpacing.y, per_warp);
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
  void draw(const Style& style, Selection& selection, const Bar& bar) const {
    const double all = as_share && bar.whole() ? bar.warps() : most;
    draw_bar(style, selection, bar, columns, all > 0 ? columns.bar / all : 0);
  }
};

BarLayout layout_of(const Style& style, const StallsPanel& state, const std::vector<Bar>& bars) {
  BarLayout layout;
  layout.as_share = state.as_share;
  Columns& columns = layout.columns;
  for (const Bar& bar : bars)
    columns.label = std::max(columns.label, ImGui::CalcTextSize(bar.variant->label.c_str()).x);
  const float width = ImGui::GetContentRegionAvail().x;
  columns.label =
      std::min(columns.label + ImGui::GetTextLineHeight() * 1.5f + style.unit(1), width * 0.4f);
  columns.number = ImGui::CalcTextSize("≥ 9999.9 + 1 cycles").x + style.unit(1);
  columns.bar = std::max(0.0f, width - columns.label - columns.number - style.unit(0.5f));
  for (const Bar& bar : bars) layout.most = std::max(layout.most, bar.warps());
  return layout;
}

// The reasons of the selected variant, the largest first.
void draw_reasons(const Style& style, const Bar& bar) {
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
                                              group_colour(style, part.reason->group));
    ImGui::SetCursorScreenPos({at.x + 2 * size, at.y});
    ImGui::TextUnformatted(part.reason->name);
    if (ImGui::IsItemHovered()) explain(part, bar);
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(format_value(part.warps, "1").c_str());
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(bar.whole() ? format_value(part.warps / bar.warps(), "ratio").c_str()
                                       : "–");
    ImGui::TableNextColumn();
    draw_paragraph(part.reason->sentence);
  }
  ImGui::EndTable();
}

void draw_reasons_of(const Style& style, const Bar& focus) {
  ImGui::Dummy({0, style.unit(0.25f)});
  draw_reasons(style, focus);
  if (!focus.stalls->uncounted.empty()) {
    draw_note(style, std::to_string(focus.stalls->uncounted.size()) +
                         " reasons were not counted at this point. " + kCollect);
  }
  ImGui::Dummy({0, style.unit(0.5f)});
}

ExportWish rows_of(const std::vector<Bar>& bars, const std::string& key) {
  static const TableColumn kColumns[] = {{"variant", ""},   {"configuration", ""}, {"reason", ""},
                                         {"group", ""},     {"CUPTI", ""},         {"warps", "1"},
                                         {"share", "ratio"}};
  std::vector<TableRow> rows;
  for (const Bar& bar : bars) {
    if (!bar.stalls) continue;
    for (const StallPart& part : bar.stalls->parts) {
      const Metric* metric = find_metric(part.reason->id);
      const std::optional<double> share =
          bar.whole() && bar.warps() > 0 ? std::optional(part.warps / bar.warps()) : std::nullopt;
      rows.push_back({{words_cell(bar.variant->name), words_cell(key),
                       words_cell(part.reason->name), words_cell(to_text(part.reason->group)),
                       words_cell(metric != nullptr ? metric->cupti_name : ""),
                       figure_cell(part.warps, "1"), figure_cell(share, "ratio")},
                      rows.size()});
    }
  }
  return rows_as_csv(kPanel, kColumns, rows);
}

// How the bars are drawn, their legend, and the button that writes them.
void draw_tools(const PanelContext& context, Selection& selection, StallsPanel& state,
                const std::vector<Bar>& bars) {
  if (tool_button(state.as_share ? "as shares" : "as cycles")) state.as_share = !state.as_share;
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("Bars of equal length, or bars as long as the cycles per instruction.");
  if (!for_slides()) ImGui::SameLine();
  if (tool_button("CSV")) selection.wish = rows_of(bars, context.view.key());
  if (!for_slides()) ImGui::SameLine();
  draw_legend(context.style);
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
  const std::vector<Bar> bars = bars_of(context.view, selection.variant);
  const auto focus = std::find_if(bars.begin(), bars.end(), [&](const Bar& bar) {
    return bar.variant->name == selection.variant;
  });
  const bool counted =
      std::any_of(bars.begin(), bars.end(), [](const Bar& bar) { return bar.stalls.has_value(); });
  ImGui::BeginChild("stalls", {0, 0}, kReached);
  draw_stall_causes(context, selection, state);
  ImGui::Dummy({0, style.unit(0.5f)});
  if (!counted) {
    draw_note(style, std::string("No stall reason was counted here. ") + kCollect);
    return ImGui::EndChild();
  }
  draw_tools(context, selection, state, bars);
  const bool has_focus = focus != bars.end() && focus->stalls.has_value();
  const BarLayout layout = layout_of(style, state, bars);
  const std::string& baseline = context.view.points.baseline_id(selection.variant).variant;
  const auto is_above = [&](const Bar& bar) {
    return bar.variant->name == selection.variant || bar.variant->name == baseline;
  };
  // The focus and its baseline, the reasons of the focus, then all others.
  if (has_focus) draw_paragraph(focus->variant->label + ": " + stall_sentence(*focus->stalls));
  for (const Bar& bar : bars) {
    if (is_above(bar)) layout.draw(style, selection, bar);
  }
  if (has_focus) draw_reasons_of(style, *focus);
  for (const Bar& bar : bars) {
    if (!is_above(bar)) layout.draw(style, selection, bar);
  }
  ImGui::Dummy({0, 0});
  ImGui::EndChild();
}

}  // namespace warpscope
