// workbench/panels/variants_panel.cpp: the ladder: verdict, times, and gain against a baseline.
#include <imgui.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include "workbench/panels.h"

namespace warpscope {
namespace {

struct LadderRow {
  const Variant* variant = nullptr;
  int index = 0;
  PointState state;
  Comparison comparison;
};

bool matches(const std::string& text, const char* filter) {
  const std::string needle = filter;
  return std::search(text.begin(), text.end(), needle.begin(), needle.end(), [](char a, char b) {
           return std::tolower(static_cast<unsigned char>(a)) ==
                  std::tolower(static_cast<unsigned char>(b));
         }) != text.end();
}

double time_of(const LadderRow& row, CacheState cache) {
  if (row.state.point == nullptr || row.state.point->verdict.outcome != Outcome::correct)
    return 1e300;
  const std::optional<Timing>& timing = timing_of(*row.state.point, cache);
  return timing ? timing->median_ns : 1e300;
}

std::vector<LadderRow> ladder_rows(const PanelContext& context, const Selection& selection,
                                   const char* filter) {
  std::vector<LadderRow> rows;
  const Scene& scene = context.workspace.scene();
  const PointState base = context.workspace.state(selection.baseline);
  for (std::size_t i = 0; i < scene.variants.size(); ++i) {
    const Variant& variant = scene.variants[i];
    if (variant.applies && !variant.applies(selection.axes)) continue;
    if (!matches(variant.label, filter) && !matches(variant.family, filter)) continue;
    LadderRow row{&variant, static_cast<int>(i), context.workspace.state(variant.name), {}};
    const Measurement *point = row.state.point, *before = base.point;
    if (point != nullptr && before != nullptr) {
      const std::optional<Timing>& a = timing_of(*before, selection.cache);
      const std::optional<Timing>& b = timing_of(*point, selection.cache);
      if (a && b) {
        row.comparison = compare(*a, timing_conditions(*before, selection.cache), *b,
                                 timing_conditions(*point, selection.cache));
      }
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

void draw_time(const Style& style, const LadderRow& row, CacheState cache) {
  const double ns = time_of(row, cache);
  if (ns >= 1e300) return ImGui::TextDisabled("–");
  const bool stale = row.state.freshness == Freshness::stale;
  ImGui::PushFont(style.mono);
  ImGui::PushStyleColor(ImGuiCol_Text, stale ? style.colours.muted : style.colours.text);
  ImGui::TextUnformatted(format_value(ns, "ns").c_str());
  ImGui::PopStyleColor();
  ImGui::PopFont();
  const std::optional<Timing>& timing = timing_of(*row.state.point, cache);
  if (ImGui::IsItemHovered() && timing) {
    ImGui::SetTooltip("%s, median of %zu samples, noise %s\nstopped: %s%s", to_text(cache),
                      timing->samples_ns.size(), format_value(timing->noise_ratio, "ratio").c_str(),
                      timing->stop_reason.c_str(),
                      stale ? "\nstale: of the last configuration measured" : "");
  }
}

void draw_menu(Selection& selection, const LadderRow& row) {
  if (!ImGui::BeginPopupContextItem("row")) return;
  if (ImGui::MenuItem("compare others with this")) selection.baseline = row.variant->name;
  if (ImGui::MenuItem("run", "Space"))
    selection.requests.push_back({Request::Kind::measure, row.variant->name});
  if (ImGui::MenuItem("capture a timeline"))
    selection.requests.push_back({Request::Kind::timeline, row.variant->name});
  if (ImGui::MenuItem("copy the row") && row.state.point != nullptr) {
    const std::string text = row.variant->label + "\t" + row.state.point->verdict.sentence + "\t" +
                             format_value(time_of(row, CacheState::cold), "ns") + " cold\t" +
                             format_value(time_of(row, CacheState::warm), "ns") + " warm\t" +
                             row.comparison.sentence;
    ImGui::SetClipboardText(text.c_str());
  }
  ImGui::EndPopup();
}

void draw_gain(const PanelContext& context, const Selection& selection, const LadderRow& row) {
  const Style& style = context.style;
  if (row.variant->name == selection.baseline) return ImGui::TextDisabled("base");
  if (row.comparison.ratio <= 0) return ImGui::TextDisabled("–");
  char text[32];
  std::snprintf(text, sizeof text, "%.2f×", row.comparison.ratio);
  const char* sign = row.comparison.difference == Difference::faster   ? "▲ "
                     : row.comparison.difference == Difference::slower ? "▼ "
                     : row.comparison.difference == Difference::same   ? "= "
                                                                       : "~ ";
  ImGui::PushStyleColor(ImGuiCol_Text, difference_colour(style, row.comparison.difference));
  ImGui::TextUnformatted((std::string(sign) + text).c_str());
  ImGui::PopStyleColor();
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("%s, against the baseline", row.comparison.sentence.c_str());
}

void draw_row(const PanelContext& context, Selection& selection, const LadderRow& row) {
  const Style& style = context.style;
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  const ImU32 colour = variant_colour(style, row.index);
  bool& hidden = selection.hidden[row.variant->name];
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float height = ImGui::GetTextLineHeight();
  if (ImGui::InvisibleButton("shown", {height * 1.3f, height})) hidden = !hidden;
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("Click to %s it in plots.", hidden ? "show" : "hide");
  draw_marker(ImGui::GetWindowDrawList(), {at.x + height * 0.65f, at.y + height * 0.5f},
              height * 0.32f, variant_marker(row.index), hidden ? style.colours.muted : colour,
              hidden ? Fill::ring : Fill::solid);
  ImGui::TableNextColumn();
  const bool chosen = selection.variant == row.variant->name;
  const Outcome outcome =
      row.state.point == nullptr ? Outcome::unchecked : row.state.point->verdict.outcome;
  const float width = ImGui::GetContentRegionAvail().x;
  const ImVec2 start = ImGui::GetCursorPos();
  if (ImGui::Selectable(
          "##focus", chosen,
          ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowItemOverlap)) {
    selection.variant = row.variant->name;
  }
  if (ImGui::IsItemHovered()) {
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(style.unit(48));
    ImGui::TextUnformatted(row.variant->label.c_str());
    ImGui::TextDisabled("%s · %s", row.variant->name.c_str(), row.variant->family.c_str());
    ImGui::TextUnformatted(row.variant->sentence.c_str());
    ImGui::TextUnformatted(("Look at: " + row.variant->look_at).c_str());
    if (row.state.point != nullptr) {
      ImGui::PushStyleColor(ImGuiCol_Text, verdict_colour(style, outcome));
      ImGui::TextUnformatted(
          (verdict_text(outcome) + ": " + row.state.point->verdict.sentence).c_str());
      ImGui::PopStyleColor();
      if (!row.state.point->choice.empty())
        ImGui::TextUnformatted(("Chosen: " + row.state.point->choice).c_str());
    }
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
  }
  draw_menu(selection, row);
  ImGui::SetCursorPos(start);
  ImGui::PushStyleColor(ImGuiCol_Text,
                        outcome == Outcome::cannot_run ? style.colours.muted : style.colours.text);
  draw_fitting_text(row.variant->label, width);
  ImGui::PopStyleColor();
  ImGui::TableNextColumn();
  if (row.state.freshness == Freshness::pending && outcome == Outcome::unchecked) {
    ImGui::TextDisabled("…");
  } else {
    const std::string word = verdict_text(outcome);
    ImGui::PushStyleColor(ImGuiCol_Text, verdict_colour(style, outcome));
    ImGui::TextUnformatted(outcome == Outcome::correct ? "✔"
                                                       : word.substr(0, word.find(' ')).c_str());
    ImGui::PopStyleColor();
  }
  for (const CacheState cache : {CacheState::cold, CacheState::warm}) {
    ImGui::TableNextColumn();
    if (outcome == Outcome::correct || outcome == Outcome::unchecked) {
      draw_time(style, row, cache);
    } else if (cache == CacheState::cold) {
      ImGui::PushStyleColor(ImGuiCol_Text, verdict_colour(style, outcome));
      ImGui::TextUnformatted(to_text(outcome));
      ImGui::PopStyleColor();
    }
  }
  ImGui::TableNextColumn();
  draw_gain(context, selection, row);
}

enum Column : ImGuiID { kMarker, kName, kVerdict, kCold, kWarm, kGain };

void sort_rows(std::vector<LadderRow>& rows) {
  const ImGuiTableSortSpecs* specs = ImGui::TableGetSortSpecs();
  if (specs == nullptr || specs->SpecsCount == 0) return;
  const ImGuiTableColumnSortSpecs& spec = specs->Specs[0];
  const auto key = [&spec](const LadderRow& row) -> double {
    if (spec.ColumnUserID == kCold) return time_of(row, CacheState::cold);
    if (spec.ColumnUserID == kWarm) return time_of(row, CacheState::warm);
    if (spec.ColumnUserID == kGain) return row.comparison.ratio;
    return row.index;
  };
  std::stable_sort(rows.begin(), rows.end(), [&](const LadderRow& a, const LadderRow& b) {
    return spec.SortDirection == ImGuiSortDirection_Descending ? key(a) > key(b) : key(a) < key(b);
  });
}

}  // namespace

void draw_variants_panel(const PanelContext& context, Selection& selection, VariantsPanel& state) {
  const Style& style = context.style;
  ImGui::SetNextItemWidth(-1);
  ImGui::InputTextWithHint("##filter", "filter the variants", state.filter, sizeof state.filter);
  std::vector<LadderRow> rows = ladder_rows(context, selection, state.filter);
  if (rows.empty()) return draw_note(style, "No variant matches the filter.");
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_Sortable | ImGuiTableFlags_SortTristate |
                                     ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg |
                                     ImGuiTableFlags_BordersInnerH;
  if (!ImGui::BeginTable("ladder", 6, kFlags)) return;
  const float mono = ImGui::CalcTextSize("000.0 µs ").x;
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthFixed | ImGuiTableColumnFlags_NoSort,
                          ImGui::GetTextLineHeight() * 1.3f, kMarker);
  ImGui::TableSetupColumn("variant", ImGuiTableColumnFlags_WidthStretch, 1, kName);
  ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthFixed | ImGuiTableColumnFlags_NoSort,
                          ImGui::GetTextLineHeight(), kVerdict);
  ImGui::TableSetupColumn("cold", ImGuiTableColumnFlags_WidthFixed, mono, kCold);
  ImGui::TableSetupColumn("warm", ImGuiTableColumnFlags_WidthFixed, mono, kWarm);
  ImGui::TableSetupColumn(selection.cache == CacheState::warm ? "vs, warm" : "vs, cold",
                          ImGuiTableColumnFlags_WidthFixed, ImGui::CalcTextSize("vs, warm ▲").x,
                          kGain);
  ImGui::TableHeadersRow();
  sort_rows(rows);
  for (const LadderRow& row : rows) {
    ImGui::PushID(row.variant->name.c_str());
    draw_row(context, selection, row);
    ImGui::PopID();
  }
  ImGui::EndTable();
}

}  // namespace warpscope
