// workbench/panels/metrics_panel.cpp: every metric of the focus beside the baseline.
#include <imgui.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>

#include "profiling/trace_metrics.h"
#include "workbench/panels.h"

namespace warpscope {

// "> 5", "< 0.5" compare the value; anything else is looked for in label, id and CUPTI's name.
bool metric_passes(const std::string& filter, const std::string& text,
                   std::optional<double> value) {
  const std::size_t at = filter.find_first_not_of(' ');
  if (at == std::string::npos) return true;
  if (filter[at] == '>' || filter[at] == '<') {
    char* end = nullptr;
    const double bound = std::strtod(filter.c_str() + at + 1, &end);
    if (end == filter.c_str() + at + 1) return true;
    return value && (filter[at] == '>' ? *value > bound : *value < bound);
  }
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) ==
           std::tolower(static_cast<unsigned char>(b));
  };
  return std::search(text.begin(), text.end(), filter.begin() + static_cast<std::ptrdiff_t>(at),
                     filter.end(), same) != text.end();
}

namespace {

struct MetricLine {
  const MetricValue* value;
  std::string label, unit, group, cupti, sentence;
  Better better = Better::neither;
  std::optional<double> base;
};

std::vector<MetricLine> metric_lines(const std::vector<MetricValue>& values,
                                     const Measurement* base, const std::string& filter) {
  std::vector<MetricLine> lines;
  for (const MetricValue& value : values) {
    MetricLine line{&value, value.id, "", "", "", ""};
    if (const Metric* metric = find_metric(value.id)) {
      line.label = metric->label;
      line.unit = metric->unit;
      line.group = metric->group;
      line.cupti = metric->cupti_name;
      line.sentence = metric->sentence;
      line.better = metric->better;
    }
    if (base != nullptr) line.base = value_of(base->metrics, value.id);
    if (metric_passes(filter, line.label + " " + value.id + " " + line.cupti + " " + line.group,
                      value.value))
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

void draw_line(const PanelContext& context, const Measurement& m, const MetricLine& line) {
  const Style& style = context.style;
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  draw_fitting_text(line.label, ImGui::GetContentRegionAvail().x);
  if (ImGui::IsItemHovered()) {
    ImGui::SetTooltip("%s\n%s%s%s", line.sentence.c_str(), line.value->id.c_str(),
                      line.cupti.empty() ? "" : "\nCUPTI: ", line.cupti.c_str());
  }
  const std::string text = line.value->value ? format_value(*line.value->value, line.unit) : "–";
  if (ImGui::BeginPopupContextItem("copy")) {
    if (ImGui::MenuItem("copy the value")) ImGui::SetClipboardText(text.c_str());
    if (ImGui::MenuItem("copy the row"))
      ImGui::SetClipboardText(
          (line.label + "\t" + text + "\t" + to_text(line.value->origin)).c_str());
    if (!line.cupti.empty() && ImGui::MenuItem("copy CUPTI's name"))
      ImGui::SetClipboardText(line.cupti.c_str());
    ImGui::EndPopup();
  }
  ImGui::TableNextColumn();
  ImGui::PushFont(style.mono);
  ImGui::PushStyleColor(ImGuiCol_Text,
                        line.value->value ? style.colours.text : style.colours.muted);
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopStyleColor();
  ImGui::PopFont();
  if (!line.value->value && ImGui::IsItemHovered())
    ImGui::SetTooltip("%s\n%s", line.value->reason.c_str(), line.value->remedy.c_str());
  ImGui::TableNextColumn();
  ImGui::PushFont(style.mono);
  ImGui::TextDisabled("%s", line.base ? format_value(*line.base, line.unit).c_str() : "");
  ImGui::PopFont();
  ImGui::TableNextColumn();
  if (line.base && line.value->value && *line.base != 0) {
    const double change = *line.value->value / *line.base - 1;
    const bool noise = std::abs(change) < noise_of(m, line.value->id);
    const bool good = (line.better == Better::lower) == (change < 0);
    const ImU32 colour = noise || line.better == Better::neither ? style.colours.muted
                         : good                                  ? style.colours.good
                                                                 : style.colours.bad;
    char cell[48];
    std::snprintf(cell, sizeof cell, "%s%+.1f %%",
                  noise || line.better == Better::neither ? ""
                  : good                                  ? "▲ "
                                                          : "▼ ",
                  change * 100);
    ImGui::PushStyleColor(ImGuiCol_Text, colour);
    ImGui::TextUnformatted(cell);
    ImGui::PopStyleColor();
    if (ImGui::IsItemHovered())
      ImGui::SetTooltip(noise  ? "within the measured noise"
                        : good ? "better than the baseline"
                               : "worse than, or other than, the baseline");
  }
  ImGui::TableNextColumn();
  ImGui::TextDisabled("%s", to_text(line.value->origin));
  ImGui::TableNextColumn();
  draw_fitting_text(
      line.value->value ? (line.cupti.empty() ? line.sentence : line.cupti) : line.value->reason,
      ImGui::GetContentRegionAvail().x);
}

}  // namespace

void draw_metrics_panel(const PanelContext& context, Selection& selection, MetricsPanel& state) {
  const Style& style = context.style;
  const Measurement* point = panel_heading(context, selection.variant);
  if (point == nullptr) return;
  const Variant* variant = find_variant(context.workspace.scene(), selection.variant);
  ImGui::SetNextItemWidth(style.unit(30));
  if (state.focus_filter) ImGui::SetKeyboardFocusHere();
  state.focus_filter = false;
  ImGui::InputTextWithHint("##filter", "filter: text, > 5, < 0.1   (Ctrl+F)", state.filter,
                           sizeof state.filter);
  ImGui::SameLine();
  std::string about =
      (variant != nullptr ? variant->label : selection.variant) + " · " + point->verdict.sentence;
  if (point->counter_passes > 0) {
    about += " · counters " + point->counters + ", " + std::to_string(point->counter_passes) +
             (point->counter_passes == 1 ? " pass" : " passes");
  }
  draw_fitting_text(about, ImGui::GetContentRegionAvail().x);
  const Measurement* base = selection.baseline == selection.variant
                                ? nullptr
                                : context.workspace.state(selection.baseline).point;
  const std::vector<MetricValue> values =
      with_modelled(point->metrics, modelled_beside(context.workspace.session(), *point));
  const std::vector<MetricLine> lines = metric_lines(values, base, state.filter);
  if (lines.empty()) return draw_note(style, "No metric passes the filter.");
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg |
                                     ImGuiTableFlags_Resizable | ImGuiTableFlags_BordersInnerV;
  if (!ImGui::BeginTable("metrics", 6, kFlags)) return;
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableSetupColumn("metric", ImGuiTableColumnFlags_WidthFixed, style.unit(26));
  ImGui::TableSetupColumn("value", ImGuiTableColumnFlags_WidthFixed, style.unit(15));
  ImGui::TableSetupColumn("baseline", ImGuiTableColumnFlags_WidthFixed, style.unit(15));
  ImGui::TableSetupColumn("difference", ImGuiTableColumnFlags_WidthFixed, style.unit(13));
  ImGui::TableSetupColumn("origin", ImGuiTableColumnFlags_WidthFixed, style.unit(10));
  ImGui::TableSetupColumn("source, meaning or reason", ImGuiTableColumnFlags_WidthStretch);
  ImGui::TableHeadersRow();
  std::string group;
  for (const MetricLine& line : lines) {
    if (line.group != group) {
      group = line.group;
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      ImGui::PushStyleColor(ImGuiCol_Text, style.colours.accent);
      ImGui::TextUnformatted(group.c_str());
      ImGui::PopStyleColor();
    }
    ImGui::PushID(line.value->id.c_str());
    draw_line(context, *point, line);
    ImGui::PopID();
  }
  ImGui::EndTable();
}

}  // namespace warpscope
