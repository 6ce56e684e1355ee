// workbench/panels/stalls/stall_bars.cpp: what warps wait for, as one bar per variant.
#include "workbench/panels/stalls/stall_bars.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <utility>

#include "workbench/drawing/plot.h"
#include "workbench/panels/source/source_listing.h"

namespace warpscope {
namespace {

void draw_dashes(ImDrawList* list, ImVec2 low, ImVec2 high, float dash, const Style& style) {
  const ImVec2 corners[] = {low, {high.x, low.y}, high, {low.x, high.y}, low};
  for (int i = 0; i < 4; ++i) {
    add_dashed_line(list, corners[i], corners[i + 1], style.colours.muted,
                    std::max(1.0f, style.unit(0.125f)), dash);
  }
}

// The first of the texts that has room in a piece.
void draw_inside(ImDrawList* list, ImVec2 low, ImVec2 high, const std::vector<std::string>& texts,
                 ImU32 colour, float gap) {
  for (const std::string& words : texts) {
    const ImVec2 size = ImGui::CalcTextSize(words.c_str());
    if (size.x + 2 * gap > high.x - low.x) continue;
    return list->AddText({low.x + gap, (low.y + high.y - size.y) / 2}, colour, words.c_str());
  }
}

bool points_at(ImVec2 low, ImVec2 high) {
  return ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(low, high);
}

struct LegendEntry {
  const char *words, *sentence;
  ImU32 colour = 0;  // 0: dashed
};

std::vector<LegendEntry> legend_of(const Style& style, const std::vector<StallBar>& bars) {
  std::vector<LegendEntry> entries;
  for (int i = 0; i < kStallGroups; ++i) {
    const auto group = static_cast<StallGroup>(i);
    entries.push_back({to_text(group), sentence_of(group), stall_colour(style, group)});
  }
  const bool dashed = std::any_of(bars.begin(), bars.end(), [](const StallBar& bar) {
    return bar.stalls && bar.stalls->others.value_or(0) > 0;
  });
  if (dashed)
    entries.push_back({"not counted", "Warps that wait for the reasons that were not counted."});
  return entries;
}

float swatch() { return ImGui::GetTextLineHeight() * 0.7f; }
float legend_gap(const Style& style) { return style.unit(1.5f); }
float width_of(const Style& style, const LegendEntry& entry) {
  return swatch() + style.unit(0.75f) + ImGui::CalcTextSize(entry.words).x;
}

StallBar bar_of(const SessionView& view, const Measurement& point, std::optional<Stalls> stalls) {
  const Variant* variant = find_variant(view.scene(), point.variant);
  return {point.variant, variant != nullptr ? variant->label : point.variant,
          variant_index(view.scene(), point.variant), std::move(stalls)};
}

}  // namespace

std::string StallBar::share_words(double warps_of) const {
  return whole() && warps() > 0 ? format_value(warps_of / warps(), "ratio")
                                : format_value(warps_of, "1");
}

std::optional<Stalls> stalls_of(const SessionView& view, const std::vector<MetricValue>& metrics) {
  return stalls_of(metrics, scheduler_warps(architecture_of(view)));
}

std::vector<StallBar> stall_bars_beside(const PanelContext& context, const Measurement& point,
                                        std::optional<Stalls> stalls, const Measurement* base,
                                        std::optional<Stalls> base_stalls) {
  std::vector<StallBar> bars;
  if (!stalls) return bars;
  bars.push_back(bar_of(context.view, point, std::move(stalls)));
  if (base == nullptr || !base_stalls) return bars;
  bars.push_back(bar_of(context.view, *base, std::move(base_stalls)));
  if (base->variant == point.variant) bars.back().label = "baseline";
  return bars;
}

ImU32 stall_colour(const Style& style, StallGroup group) {
  constexpr std::array<int, kStallGroups> kLanes = {4, 13, 20, 26, 31};
  return lane_colour(style, kLanes[static_cast<std::size_t>(group)]);
}

void explain_stall(const StallPart& part, const StallBar& bar) {
  const Metric* metric = find_metric(part.reason->id);
  const std::string share =
      bar.whole() ? ", " + bar.share_words(part.warps) + " of all waiting" : "";
  ImGui::SetTooltip("%s (%s)\na warp waits %s cycles for it per instruction%s.\n%s\n%s",
                    part.reason->name, to_text(part.reason->group),
                    format_value(part.warps, "1").c_str(), share.c_str(), part.reason->sentence,
                    metric != nullptr ? metric->cupti_name.c_str() : "");
}

float stall_legend_width(const Style& style, const std::vector<StallBar>& bars) {
  float width = 0;
  for (const LegendEntry& entry : legend_of(style, bars))
    width += (width > 0 ? legend_gap(style) : 0) + width_of(style, entry);
  return width;
}

void draw_stall_legend(const Style& style, const std::vector<StallBar>& bars, float width,
                       bool one_line) {
  const float size = swatch();
  const float end = ImGui::GetCursorScreenPos().x + width;
  bool first = true;
  for (const LegendEntry& entry : legend_of(style, bars)) {
    const bool fits =
        first || ImGui::GetItemRectMax().x + legend_gap(style) + width_of(style, entry) <= end;
    if (!fits && one_line) return;
    if (!first && fits) ImGui::SameLine(0, legend_gap(style));
    first = false;
    ImGui::BeginGroup();
    const float x = ImGui::GetCursorScreenPos().x;
    ImGui::Dummy({size, ImGui::GetTextLineHeight()});
    ImGui::SameLine(0, style.unit(0.75f));
    ImGui::TextUnformatted(entry.words);
    const float y = (ImGui::GetItemRectMin().y + ImGui::GetItemRectMax().y - size) / 2;
    ImDrawList* list = ImGui::GetWindowDrawList();
    if (entry.colour == 0) draw_dashes(list, {x, y}, {x + size, y + size}, size / 5, style);
    list->AddRectFilled({x, y}, {x + size, y + size}, entry.colour, style.unit(0.25f));
    ImGui::EndGroup();
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", entry.sentence);
  }
}

void draw_stall_label(const Style& style, const StallBar& bar, ImVec2 at, float middle,
                      float width) {
  const float line = ImGui::GetTextLineHeight();
  draw_marker(ImGui::GetWindowDrawList(), {at.x + line * 0.6f, middle}, line * 0.3f,
              variant_marker(bar.index), variant_colour(style, bar.index), Fill::solid);
  ImGui::SetCursorScreenPos({at.x + line * 1.2f, middle - line / 2});
  draw_fitting_text(bar.label, width - line * 1.2f - style.unit(0.5f));
}

void draw_stall_pieces(const Style& style, const StallBar& bar, ImVec2 low, float height,
                       double per_warp) {
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
                          stall_colour(style, group));
      if (points_at(a, b)) explain_stall(part, bar);
    }
    const std::string share = bar.share_words(bar.stalls->of(group));
    draw_inside(list, {static_cast<float>(from), low.y}, {static_cast<float>(x), low.y + height},
                {std::string(to_text(group)) + " " + share, share},
                ink_on(stall_colour(style, group)), style.unit(0.5f));
  }
  if (!bar.stalls->others || *bar.stalls->others <= 0) return;
  const ImVec2 a{static_cast<float>(x), low.y};
  const ImVec2 b{static_cast<float>(x + *bar.stalls->others * per_warp), low.y + height};
  draw_dashes(list, a, b, style.unit(0.5f), style);
  const std::string share = bar.share_words(*bar.stalls->others);
  draw_inside(list, a, b, {"not counted " + share, share}, style.colours.muted, style.unit(0.5f));
  if (points_at(a, b)) {
    ImGui::SetTooltip(
        "A warp waits %s cycles per instruction for the %zu reasons that were not counted, %s of "
        "all waiting.\n"
        "Derived: achieved occupancy ÷ share of cycles that issue × warps that a scheduler holds, "
        "less what was counted.\nWhere all 18 were counted on an H200, their sum was 0.88 to 1.01 "
        "of that in 44 of 46 points, and 0.69 in two.\n%s",
        format_value(*bar.stalls->others, "1").c_str(), bar.stalls->uncounted.size(), share.c_str(),
        kCountAllStalls);
  }
}

void draw_stall_bars(const Style& style, const std::vector<StallBar>& bars) {
  const float width = ImGui::GetContentRegionAvail().x, height = ImGui::GetTextLineHeight();
  float label = 0;
  if (bars.size() > 1) {
    for (const StallBar& bar : bars)
      label = std::max(label, ImGui::CalcTextSize(bar.label.c_str()).x);
    constexpr float kMostRatio = 0.4f;  // of the room, for labels
    label = std::min(label + height * 1.2f + style.unit(1), width * kMostRatio);
  }
  for (const StallBar& bar : bars) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::Dummy({width, height});
    const ImVec2 after = ImGui::GetCursorScreenPos();
    if (at.y + height > ImGui::GetWindowDrawList()->GetClipRectMax().y) continue;
    if (label > 0) draw_stall_label(style, bar, at, at.y + height / 2, label);
    if (bar.warps() > 0)
      draw_stall_pieces(style, bar, {at.x + label, at.y}, height, (width - label) / bar.warps());
    ImGui::SetCursorScreenPos(after);
  }
  ImGui::Dummy({0, 0});
  draw_stall_legend(style, bars, width, false);
}

}  // namespace warpscope
