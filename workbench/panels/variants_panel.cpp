// workbench/panels/variants_panel.cpp: the ladder: verdict, times, and gain against a baseline.
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "workbench/panels.h"

namespace warpscope {
namespace {

struct LadderRow {
  const Variant* variant = nullptr;
  int index = 0;
  PointState state;
  bool stale = false;  // the point is of another configuration
  Comparison comparison;
};

constexpr double kNoTime = 1e300;

// Whether the outcome stands in place of the times.
bool failed(Outcome outcome) {
  return outcome != Outcome::correct && outcome != Outcome::unchecked;
}

Outcome outcome_of(const LadderRow& row) {
  return row.state.point == nullptr ? Outcome::unchecked : row.state.point->verdict.outcome;
}

double time_of(const LadderRow& row, CacheState cache) {
  if (row.state.point == nullptr || row.state.point->verdict.outcome != Outcome::correct)
    return kNoTime;
  const std::optional<Timing>& timing = timing_of(*row.state.point, cache);
  return timing ? timing->median_ns : kNoTime;
}

std::vector<LadderRow> ladder_rows(const PanelContext& context, const Selection& selection) {
  std::vector<LadderRow> rows;
  const Scene& scene = context.workspace.scene();
  const PointState base = context.workspace.state(selection.baseline);
  for (std::size_t i = 0; i < scene.variants.size(); ++i) {
    const Variant& variant = scene.variants[i];
    if (variant.applies && !variant.applies(selection.axes)) continue;
    LadderRow row{&variant, static_cast<int>(i), context.workspace.state(variant.name), false, {}};
    const Measurement *point = row.state.point, *before = base.point;
    row.stale = point != nullptr && point->key != context.workspace.point_id(variant.name).key;
    if (point != nullptr && before != nullptr && point->verdict.outcome == Outcome::correct &&
        before->verdict.outcome == Outcome::correct) {
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

enum Column : std::uint8_t { kMarker, kName, kVerdict, kCold, kWarm, kGain, kColumns };

std::array<TableColumn, kColumns> columns_of(const Selection& selection) {
  return {{{"family", ""},
           {"variant", ""},
           {"verdict", ""},
           {"cold", "ns"},
           {"warm", "ns"},
           {std::string("speed-up against ") + selection.baseline + ", " + to_text(selection.cache),
            "1"}}};
}

// What filtering, sorting, copying and exporting see of a row.
TableRow cells_of(const LadderRow& row, std::size_t index) {
  const auto time = [&](CacheState cache) {
    const double ns = time_of(row, cache);
    return figure_cell(ns < kNoTime ? std::optional(ns) : std::nullopt, "ns");
  };
  TableCell gain = words_cell("–");
  if (row.comparison.ratio > 0) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2f×", row.comparison.ratio);
    gain = {text, row.comparison.ratio, "1"};
  }
  const Measurement* point = row.state.point;
  return {{words_cell(row.variant->family), words_cell(row.variant->label),
           words_cell(point == nullptr ? "not measured"
                                       : std::string(to_text(point->verdict.outcome)) + ": " +
                                             point->verdict.sentence),
           time(CacheState::cold), time(CacheState::warm), gain},
          index};
}

// A figure of another configuration is in parentheses.
void draw_time(const PanelContext& context, const LadderRow& row, CacheState cache) {
  const Style& style = context.style;
  const double ns = time_of(row, cache);
  if (ns >= kNoTime) {
    ImGui::TextDisabled("%s", row.state.freshness == Freshness::pending ? "…" : "–");
    return explain_missing(missing_time(context, row.variant->name, cache));
  }
  const bool stale = row.stale;
  ImGui::PushFont(style.mono);
  ImGui::PushStyleColor(ImGuiCol_Text, stale ? style.colours.muted : style.colours.text);
  const std::string text = format_value(ns, "ns");
  ImGui::TextUnformatted((stale ? "(" + text + ")" : text).c_str());
  ImGui::PopStyleColor();
  ImGui::PopFont();
  const std::optional<Timing>& timing = timing_of(*row.state.point, cache);
  if (ImGui::IsItemHovered() && timing) {
    ImGui::SetTooltip("%s, median of %zu samples, noise %s\nstopped: %s%s%s", to_text(cache),
                      timing->samples_ns.size(), format_value(timing->noise_ratio, "ratio").c_str(),
                      timing->stop_reason.c_str(), stale ? "\nstale: measured at " : "",
                      stale ? row.state.point->key.c_str() : "");
  }
}

void draw_menu(std::span<const TableColumn> columns, Selection& selection, const LadderRow& row,
               const TableRow& cells) {
  if (!begin_row_menu(columns, cells, selection, "variants")) return;
  ImGui::Separator();
  if (ImGui::MenuItem("compare others with this", "V")) selection.baseline = row.variant->name;
  if (ImGui::MenuItem("run", "Space"))
    selection.requests.push_back({Request::Kind::measure, row.variant->name});
  if (ImGui::MenuItem("capture a timeline"))
    selection.requests.push_back({Request::Kind::timeline, row.variant->name});
  ImGui::EndPopup();
}

void draw_gain(const PanelContext& context, const Selection& selection, const LadderRow& row) {
  const Style& style = context.style;
  if (row.variant->name == selection.baseline) return ImGui::TextDisabled("base");
  if (row.comparison.ratio <= 0) {
    ImGui::TextDisabled("–");
    const bool compared =
        row.comparison.difference == Difference::not_comparable && !row.comparison.sentence.empty();
    const double own = time_of(row, selection.cache);
    return explain_missing(compared ? row.comparison.sentence
                           : own >= kNoTime
                               ? missing_time(context, row.variant->name, selection.cache)
                               : "the baseline has no time: " +
                                     missing_time(context, selection.baseline, selection.cache));
  }
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

// One sign for correct, failed, stale and pending; the words on hover.
void draw_sign(const PanelContext& context, const LadderRow& row, Outcome outcome) {
  const Style& style = context.style;
  const bool pending = row.state.freshness == Freshness::pending;
  const bool stale = outcome == Outcome::correct && row.stale;
  const std::string words = verdict_text(outcome);
  ImGui::PushStyleColor(ImGuiCol_Text,
                        pending || stale ? style.colours.muted : verdict_colour(style, outcome));
  ImGui::TextUnformatted(pending ? "…" : stale ? "○" : words.substr(0, words.find(' ')).c_str());
  ImGui::PopStyleColor();
  if (!ImGui::IsItemHovered()) return;
  const Measurement* point = row.state.point;
  if (point == nullptr)
    return explain_missing(missing_time(context, row.variant->name, CacheState::warm));
  ImGui::SetTooltip("%s: %s%s%s", words.c_str(), point->verdict.sentence.c_str(),
                    pending ? "\na newer measurement is on its way"
                    : stale ? "\nstale: measured at "
                            : "",
                    stale ? point->key.c_str() : "");
}

void draw_row(const PanelContext& context, Selection& selection, const LadderRow& row,
              std::span<const TableColumn> columns, const TableRow& cells) {
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
              hidden || row.stale ? Fill::ring : Fill::solid);
  ImGui::TableNextColumn();
  const bool chosen = selection.variant == row.variant->name;
  const Outcome outcome = outcome_of(row);
  const float width = ImGui::GetContentRegionAvail().x;
  const ImVec2 start = ImGui::GetCursorPos();
  if (ImGui::Selectable(
          "##focus", chosen,
          ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowItemOverlap)) {
    selection.variant = row.variant->name;
  }
  // The other columns have words of their own.
  const bool on_name = (ImGui::TableGetColumnFlags(kName) & ImGuiTableColumnFlags_IsHovered) != 0;
  if (ImGui::IsItemHovered() && on_name) {
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(style.unit(48));
    ImGui::TextUnformatted(row.variant->label.c_str());
    ImGui::TextDisabled("%s · %s", row.variant->name.c_str(), row.variant->family.c_str());
    ImGui::TextUnformatted(context.workspace.words(row.variant->sentence).c_str());
    ImGui::TextUnformatted(("Look at: " + context.workspace.words(row.variant->look_at)).c_str());
    if (row.state.point != nullptr) {
      ImGui::PushStyleColor(ImGuiCol_Text, verdict_colour(style, outcome));
      ImGui::TextUnformatted(
          (verdict_text(outcome) + ": " + row.state.point->verdict.sentence).c_str());
      ImGui::PopStyleColor();
      if (!row.state.point->choice.empty())
        ImGui::TextUnformatted(
            ("Chosen: " + context.workspace.words(row.state.point->choice)).c_str());
    }
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
  }
  draw_menu(columns, selection, row, cells);
  ImGui::SetCursorPos(start);
  ImGui::PushStyleColor(ImGuiCol_Text,
                        outcome == Outcome::cannot_run ? style.colours.muted : style.colours.text);
  draw_fitting_text(row.variant->label, width);
  ImGui::PopStyleColor();
  ImGui::TableNextColumn();
  draw_sign(context, row, outcome);
  bool said = false;
  for (const CacheState cache : {CacheState::cold, CacheState::warm}) {
    if (!ImGui::TableNextColumn()) continue;
    if (!failed(outcome) || said) {
      draw_time(context, row, cache);
      continue;
    }
    said = true;
    ImGui::PushStyleColor(ImGuiCol_Text, verdict_colour(style, outcome));
    ImGui::TextUnformatted(to_text(outcome));
    ImGui::PopStyleColor();
    explain_missing(missing_time(context, row.variant->name, cache));
  }
  ImGui::TableNextColumn();
  draw_gain(context, selection, row);
}

}  // namespace

void draw_variants_panel(const PanelContext& context, Selection& selection, VariantsPanel& state) {
  const Style& style = context.style;
  const auto columns = columns_of(selection);
  const TableBar bar = draw_table_bar("variants", "filter: text, < 200 µs", state.filter, selection,
                                      ImGui::GetContentRegionAvail().x);
  const std::vector<LadderRow> ladder = ladder_rows(context, selection);
  if (ladder.empty()) {
    return draw_note(style,
                     "No variant computes what this configuration asks for: change op or type.");
  }
  if (std::none_of(ladder.begin(), ladder.end(),
                   [](const LadderRow& row) { return row.state.point != nullptr; })) {
    draw_note(style, context.workspace.recorded()
                         ? "Nothing is recorded at this configuration: choose a preset, or another "
                           "session."
                     : context.workspace.progress().busy
                         ? "Nothing is measured yet: figures come as they are measured."
                         : "Nothing is measured at this configuration: press run (Space).");
  }
  std::vector<TableRow> rows;
  const std::size_t filtered = selection.cache == CacheState::cold ? kCold : kWarm;
  for (std::size_t i = 0; i < ladder.size(); ++i) {
    TableRow row = cells_of(ladder[i], i);
    if (passes(state.filter.text, row, filtered)) rows.push_back(std::move(row));
  }
  if (rows.empty()) return draw_note(style, "No variant passes the filter.");
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_Sortable | ImGuiTableFlags_SortTristate |
                                     ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg |
                                     ImGuiTableFlags_BordersInnerH;
  if (!ImGui::BeginTable("ladder", kColumns, kFlags)) return;
  float word = ImGui::CalcTextSize("(000.0 µs)").x;
  const float time_width = word;
  for (const LadderRow& row : ladder) {
    if (failed(outcome_of(row)))
      word = std::max(word, ImGui::CalcTextSize(to_text(outcome_of(row))).x);
  }
  // Where there is no room for a name beside both times, the one that plots show stays.
  const bool narrow = ImGui::GetContentRegionAvail().x < style.unit(50);
  const auto shown = [&](CacheState cache) {
    return ImGuiTableColumnFlags_WidthFixed |
           (narrow && cache != selection.cache ? ImGuiTableColumnFlags_Disabled : 0);
  };
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableSetupColumn("##marker",
                          ImGuiTableColumnFlags_WidthFixed | ImGuiTableColumnFlags_NoSort,
                          ImGui::GetTextLineHeight() * 1.3f);
  ImGui::TableSetupColumn("variant", ImGuiTableColumnFlags_WidthStretch, 1);
  ImGui::TableSetupColumn("##verdict", ImGuiTableColumnFlags_WidthFixed,
                          ImGui::GetTextLineHeight());
  ImGui::TableSetupColumn("cold", shown(CacheState::cold), word);
  ImGui::TableSetupColumn("warm", shown(CacheState::warm), narrow ? word : time_width);
  ImGui::TableSetupColumn(selection.cache == CacheState::warm ? "vs, warm" : "vs, cold",
                          ImGuiTableColumnFlags_WidthFixed, ImGui::CalcTextSize("vs, warm ▲").x);
  ImGui::TableHeadersRow();
  sort_as_asked(rows);
  for (const TableRow& row : rows) {
    ImGui::PushID(ladder[row.index].variant->name.c_str());
    draw_row(context, selection, ladder[row.index], columns, row);
    ImGui::PopID();
  }
  ImGui::EndTable();
  if (bar.wanted) selection.wish = rows_as_csv("variants", columns, rows);
}

}  // namespace warpscope
