// workbench/panels/metrics_panel.cpp: every metric of the focus beside the baseline.
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>

#include "profiling/trace_metrics.h"
#include "workbench/panels.h"

namespace warpscope {
namespace {

struct MetricLine {
  const MetricValue* value;
  std::string label, unit, group, cupti, sentence;
  Better better = Better::neither;
  std::optional<double> base;
  std::string no_base;  // why there is none
};

// What a term of the work model means in this scene; other metrics mean the same in all.
std::string sentence_for(const Scene& scene, const Metric& metric) {
  for (const WorkTerm& term : scene.work_terms) {
    if (term.id == metric.id) return term.sentence;
  }
  return metric.sentence;
}

std::vector<MetricLine> metric_lines(const Scene& scene, const std::vector<MetricValue>& values,
                                     const Measurement* base, const std::string& no_base) {
  std::vector<MetricLine> lines;
  for (const MetricValue& value : values) {
    MetricLine line{&value, value.id, "", "", "", "", Better::neither, std::nullopt, no_base};
    if (const Metric* metric = find_metric(value.id)) {
      line.label = metric->label;
      line.unit = metric->unit;
      line.group = metric->group;
      line.cupti = metric->cupti_name;
      line.sentence = sentence_for(scene, *metric);
      line.better = metric->better;
    }
    if (base != nullptr) {
      const MetricValue* before = find_value(base->metrics, value.id);
      if (before != nullptr) line.base = before->value;
      line.no_base = before == nullptr || before->reason.empty() ? "the baseline lacks this metric"
                                                                 : "baseline: " + before->reason;
    }
    lines.push_back(std::move(line));
  }
  const auto rank = [](const std::string& group) {
    constexpr const char* kOrder[] = {"time",      "memory", "compute",
                                      "occupancy", "model",  "conditions"};
    return std::find(std::begin(kOrder), std::end(kOrder), group) - std::begin(kOrder);
  };
  std::stable_sort(lines.begin(), lines.end(), [&](const MetricLine& a, const MetricLine& b) {
    return rank(a.group) < rank(b.group);
  });
  return lines;
}

// Differences below the timing's noise say nothing and are greyed.
double noise_of(const Measurement& m, const std::string& id) {
  const std::optional<Timing>& timing = id == "time.cold" ? m.cold : m.warm;
  return timing && (id.starts_with("time.") || id.starts_with("rate."))
             ? std::max(0.005, 2 * timing->noise_ratio)
             : 0.005;
}

enum Column : std::uint8_t {
  kMetric,
  kValue,
  kBaseline,
  kDifference,
  kOrigin,
  kMeaning,
  kId,
  kCupti,
  kGroup,
  kCells
};
constexpr int kShown = kId;  // the columns behind are copied, found and exported, not drawn

std::array<TableColumn, kCells> columns_of(const Selection& selection) {
  return {{{"metric", ""},
           {"value", "1"},
           {"baseline " + selection.baseline, "1"},
           {"difference", "ratio"},
           {"origin", ""},
           {"source, meaning or reason", ""},
           {"id", ""},
           {"CUPTI", ""},
           {"group", ""}}};
}

TableRow cells_of(const MetricLine& line, std::size_t index) {
  const std::optional<double>& value = line.value->value;
  TableCell difference = words_cell("–");
  if (line.base && value && *line.base != 0) {
    char text[32];
    const double change = *value / *line.base - 1;
    std::snprintf(text, sizeof text, "%+.1f %%", change * 100);
    difference = {text, change, "ratio"};
  }
  return {{words_cell(line.label), figure_cell(value, line.unit), figure_cell(line.base, line.unit),
           difference, words_cell(to_text(line.value->origin)),
           words_cell(!value               ? line.value->reason
                      : line.cupti.empty() ? line.sentence
                                           : line.cupti),
           words_cell(line.value->id), words_cell(line.cupti), words_cell(line.group)},
          index};
}

void draw_difference(const Style& style, const Measurement& m, const MetricLine& line,
                     const TableCell& cell) {
  if (!cell.value) {
    ImGui::TextDisabled("–");
    return explain_missing(!line.value->value ? "there is no value to compare"
                           : !line.base       ? line.no_base
                                              : "the baseline is 0");
  }
  const double change = *cell.value;
  const bool noise = std::abs(change) < noise_of(m, line.value->id);
  const bool neither = noise || line.better == Better::neither;
  const bool good = (line.better == Better::lower) == (change < 0);
  ImGui::PushStyleColor(ImGuiCol_Text, neither ? style.colours.muted
                                       : good  ? style.colours.good
                                               : style.colours.bad);
  ImGui::TextUnformatted(((neither ? "" : good ? "▲ " : "▼ ") + cell.text).c_str());
  ImGui::PopStyleColor();
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip(noise                            ? "within the measured noise"
                      : line.better == Better::neither ? "neither better nor worse by itself"
                      : good                           ? "better than the baseline"
                                                       : "worse than the baseline");
}

// Why a figure of ours may differ from what is counted, where the variant says so.
std::string known_differences(const Variant* variant, const std::string& id) {
  std::string text;
  if (variant == nullptr) return text;
  for (const Side side : {Side::above, Side::below}) {
    if (const KnownDifference* known = known_difference(*variant, id, side))
      text += std::string(side == Side::above ? "\nAbove" : "\nBelow") + " what is counted, at most " +
              format_value(known->most_ratio, "ratio") + " of it: " + known->reason;
  }
  return text;
}

void draw_line(const PanelContext& context, Selection& selection, const Measurement& m,
               const MetricLine& line, std::span<const TableColumn> columns, const TableRow& row) {
  const Style& style = context.style;
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  const ImVec2 start = ImGui::GetCursorPos();
  const float width = ImGui::GetContentRegionAvail().x;
  ImGui::Selectable("##row", false,
                    ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowItemOverlap);
  if (begin_row_menu(columns, row, selection, "metrics")) {
    if (!line.cupti.empty() && ImGui::MenuItem("copy CUPTI's name"))
      ImGui::SetClipboardText(line.cupti.c_str());
    ImGui::EndPopup();
  }
  ImGui::SetCursorPos(start);
  draw_fitting_text(line.label, width);
  if (ImGui::IsItemHovered()) {
    const Variant* variant = find_variant(context.workspace.scene(), m.variant);
    ImGui::SetTooltip("%s\n%s%s%s%s", line.sentence.c_str(), line.value->id.c_str(),
                      line.cupti.empty() ? "" : "\nCUPTI: ", line.cupti.c_str(),
                      known_differences(variant, line.value->id).c_str());
  }
  ImGui::TableNextColumn();
  ImGui::PushFont(style.mono);
  ImGui::PushStyleColor(ImGuiCol_Text,
                        line.value->value ? style.colours.text : style.colours.muted);
  ImGui::TextUnformatted(row.cells[kValue].text.c_str());
  ImGui::PopStyleColor();
  ImGui::PopFont();
  if (!line.value->value) explain_missing(line.value->reason, line.value->remedy);
  ImGui::TableNextColumn();
  ImGui::PushFont(style.mono);
  ImGui::TextDisabled("%s", row.cells[kBaseline].text.c_str());
  ImGui::PopFont();
  if (!line.base) explain_missing(line.no_base);
  ImGui::TableNextColumn();
  draw_difference(style, m, line, row.cells[kDifference]);
  ImGui::TableNextColumn();
  ImGui::TextDisabled("%s", row.cells[kOrigin].text.c_str());
  ImGui::TableNextColumn();
  draw_fitting_text(row.cells[kMeaning].text, ImGui::GetContentRegionAvail().x);
}

void draw_group(const Style& style, const std::string& group) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::PushStyleColor(ImGuiCol_Text, style.colours.accent);
  ImGui::TextUnformatted(group.c_str());
  ImGui::PopStyleColor();
}

// Why metrics have no baseline at all; empty where they have one.
std::string without_baseline(const PanelContext& context, const Selection& selection,
                             const Measurement* base) {
  if (selection.baseline == selection.variant) return "this variant is the baseline itself";
  if (base == nullptr)
    return "the baseline: " + missing_time(context, selection.baseline, selection.cache);
  return "";
}

}  // namespace

void draw_metrics_panel(const PanelContext& context, Selection& selection, MetricsPanel& state) {
  const Style& style = context.style;
  const Measurement* point = panel_heading(context, selection.variant);
  if (point == nullptr) return;
  const Variant* variant = find_variant(context.workspace.scene(), selection.variant);
  const TableBar bar = draw_table_bar("metrics", "filter: text, > 5, < 100 µs   (Ctrl+F)",
                                      state.filter, selection, style.unit(38));
  ImGui::SameLine();
  std::string about =
      (variant != nullptr ? variant->label : selection.variant) + " · " + point->verdict.sentence;
  if (point->counter_passes > 0) {
    about += " · counters " + brief_counters(point->counters) + ", " +
             std::to_string(point->counter_passes) +
             (point->counter_passes == 1 ? " pass" : " passes");
  }
  draw_fitting_text(about, ImGui::GetContentRegionAvail().x);
  if (point->metrics.empty()) {
    return draw_note(style, point->verdict.outcome == Outcome::correct
                                ? "This measurement has no metrics: it was recorded without them."
                                : "There are no metrics: only a correct output has figures.");
  }
  const Measurement* base = selection.baseline == selection.variant
                                ? nullptr
                                : context.workspace.state(selection.baseline).point;
  const std::vector<MetricValue> values =
      with_modelled(point->metrics, modelled_beside(context.workspace.session(), *point));
  const std::vector<MetricLine> lines = metric_lines(context.workspace.scene(), values, base,
                                                     without_baseline(context, selection, base));
  const auto columns = columns_of(selection);
  std::vector<TableRow> rows;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    TableRow row = cells_of(lines[i], i);
    if (passes(state.filter.text, row, kValue)) rows.push_back(std::move(row));
  }
  if (rows.empty()) return draw_note(style, "No metric passes the filter.");
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg |
                                     ImGuiTableFlags_Resizable | ImGuiTableFlags_BordersInnerV |
                                     ImGuiTableFlags_Sortable | ImGuiTableFlags_SortTristate;
  if (!ImGui::BeginTable("metrics", kShown, kFlags)) return;
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableSetupColumn("metric", ImGuiTableColumnFlags_WidthFixed, style.unit(26));
  ImGui::TableSetupColumn("value", ImGuiTableColumnFlags_WidthFixed, style.unit(15));
  ImGui::TableSetupColumn("baseline", ImGuiTableColumnFlags_WidthFixed, style.unit(15));
  ImGui::TableSetupColumn("difference", ImGuiTableColumnFlags_WidthFixed, style.unit(13));
  ImGui::TableSetupColumn("origin", ImGuiTableColumnFlags_WidthFixed, style.unit(10));
  ImGui::TableSetupColumn("source, meaning or reason", ImGuiTableColumnFlags_WidthStretch);
  ImGui::TableHeadersRow();
  const bool sorted = sort_as_asked(rows);
  // What is drawn, line by line: rows, and the names of groups above their first one.
  std::vector<const TableRow*> drawn;
  const std::string* group = nullptr;
  for (const TableRow& row : rows) {
    const std::string& its = lines[row.index].group;
    if (!sorted && (group == nullptr || *group != its)) drawn.push_back(nullptr);
    group = &its;
    drawn.push_back(&row);
  }
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(drawn.size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const TableRow* row = drawn[static_cast<std::size_t>(i)];
      if (row == nullptr) {
        draw_group(style, lines[drawn[static_cast<std::size_t>(i) + 1]->index].group);
        continue;
      }
      const MetricLine& line = lines[row->index];
      ImGui::PushID(line.value->id.c_str());
      draw_line(context, selection, *point, line, columns, *row);
      ImGui::PopID();
    }
  }
  ImGui::EndTable();
  if (bar.wanted) selection.wish = rows_as_csv("metrics", columns, rows);
}

}  // namespace warpscope
