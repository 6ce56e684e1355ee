// workbench/panels/figures/metrics_panel.cpp: every metric of the focus beside the baseline.
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>

#include "profiling/agreement/figure_change.h"
#include "profiling/agreement/trace_metrics.h"
#include "profiling/overview/stall_reasons.h"
#include "profiling/points/point.h"
#include "profiling/points/tag_totals.h"
#include "scenes/base/plural.h"
#include "workbench/drawing/focus.h"
#include "workbench/panels/figures/metric_groups.h"
#include "workbench/panels/figures/metric_lines.h"
#include "workbench/panels/panels.h"
#include "workbench/panels/picture_columns.h"
#include "workbench/panels/spotlight.h"
#include "workbench/panels/variants/ladder.h"
#include "workbench/workspace/trace_state.h"

namespace warpscope {

// The figures of the point or of its part, each beside the baseline's.
struct MetricFigures {
  std::vector<MetricValue> values;
  std::vector<MetricLine> lines;  // that point into `values`
  std::optional<Stalls> stalls, base_stalls;
};

// What the figures of the panel follow from. A file that was saved makes them stale: that is looked
// at a few times per second.
struct MetricFiguresOf {
  const Session* session = nullptr;  // only compared, as are the points
  const Scene* scene = nullptr;
  const Measurement *point = nullptr, *base = nullptr;
  std::size_t openings = 0;
  std::uint64_t revision = 0;
  CacheState cache = CacheState::warm;
  std::string part, against, missing;
  std::set<std::string> starred;
  std::int64_t look = 0;
  bool operator==(const MetricFiguresOf&) const = default;
};

struct KeptMetrics {
  Memo<MetricFiguresOf, MetricFigures> figures;
};

namespace {

// Whether the line differs from the baseline by more than the noise. `whole`: the figures are of
// the whole run; single steps keep no samples.
ChangeVerdict judged(const Measurement& m, const MetricBase& base, const MetricLine& line,
                     bool whole) {
  if (base.point == nullptr || !line.base || !line.value->value)
    return {Significance::unknown, "there is no baseline"};
  if (!whole && follows_from_time(line.value->id))
    return {Significance::unknown, "its noise is not known: a step keeps no samples"};
  return judge_change(line.value->id, *base.point, *line.base, m, *line.value->value);
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
  kVariant,
  kConfiguration,
  kDevice,
  kCells
};
constexpr int kShown = kId;  // the columns after these are copied, found and exported, not drawn

// What is copied and exported names variant, configuration and device of every row.
std::array<TableColumn, kCells> columns_of(const MetricBase& base) {
  return {{{"metric", ""},
           {"value", "1"},
           {"baseline " + base.name, "1"},
           {"difference", "ratio"},
           {"origin", ""},
           {"source, meaning or reason", ""},
           {"id", ""},
           {"CUPTI", ""},
           {"group", ""},
           {"variant", ""},
           {"configuration", ""},
           {"device", ""}}};
}

TableRow cells_of(const Measurement& m, const MetricLine& line, bool coloured, std::size_t index) {
  const std::optional<double>& value = line.value->value;
  TableCell difference = words_cell("–");
  if (line.base && value && *line.base != 0) {
    const double change = *value / *line.base - 1;
    difference = {change_text(*value, *line.base, line.better, coloured), change, "ratio"};
  }
  TableCell figure = figure_cell(value, line.unit);
  std::string origin = to_text(line.value->origin);
  if (!line.stale.empty()) {
    figure.text = "○ " + figure.text;
    origin += ", stale";
  }
  return {{words_cell(line.label), figure, figure_cell(line.base, line.unit), difference,
           words_cell(origin),
           words_cell(!line.stale.empty()   ? line.stale
                      : !value              ? line.value->reason.string()
                      : line.value->sampled ? sampled_text(*line.value)
                      : line.cupti.empty()  ? line.sentence
                                            : line.cupti),
           words_cell(line.value->id), words_cell(line.cupti), words_cell(line.group),
           words_cell(m.variant), words_cell(line.key), words_cell(device_of(m.conditions).id())},
          index};
}

void draw_difference(const Style& style, const MetricLine& line, const ChangeVerdict& verdict,
                     const TableCell& cell, bool judges) {
  if (!cell.value) {
    ImGui::TextDisabled("–");
    return explain_missing(!line.value->value ? "there is no value to compare"
                           : !line.base       ? line.no_base
                                              : "the baseline is 0");
  }
  const bool beyond = verdict.significance == Significance::beyond_noise;
  const bool neither = !beyond || !judges || line.better == Better::neither;
  const bool good = (line.better == Better::lower) == (*cell.value < 0);
  ImGui::PushStyleColor(ImGuiCol_Text, neither ? style.colours.muted
                                       : good  ? style.colours.good
                                               : style.colours.bad);
  draw_fitting_text(cell.text, ImGui::GetContentRegionAvail().x);
  ImGui::PopStyleColor();
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("%s", !judges   ? "between two devices: no variant is better or worse by it"
                            : !beyond ? verdict.sentence.c_str()
                            : line.better == Better::neither ? "neither better nor worse by itself"
                            : good                           ? "better than the baseline"
                                                             : "worse than the baseline");
}

// Why a figure of ours may differ from what is counted, where the variant says so.
std::string known_differences(const Variant* variant, const std::string& id,
                              const Configuration& axes) {
  std::string text;
  if (variant == nullptr) return text;
  for (const Side side : {Side::above, Side::below}) {
    if (const KnownDifference* known = known_difference(*variant, id, side, axes))
      text += std::string(side == Side::above ? "\nAbove" : "\nBelow") +
              " what is counted, at most " + format_value(known->most_ratio, "ratio") +
              " of it: " + known->reason;
  }
  return text;
}

void draw_line(const PanelContext& context, Selection& selection, const Measurement& m,
               const MetricLine& line, std::span<const TableColumn> columns, const TableRow& row,
               const ChangeVerdict& verdict, bool judges, MetricsPanel& state) {
  const Style& style = context.style;
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  if (is_lit(context, line.value->id)) light_row(context);
  const ImVec2 start = ImGui::GetCursorPos();
  const float width = ImGui::GetContentRegionAvail().x;
  ImGui::Selectable("##row", line.value->id.string() == state.found,
                    ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowOverlap);
  if (begin_row_menu(columns, row, selection, "metrics")) {
    const std::string& id = line.value->id;
    if (ImGui::MenuItem(line.starred ? "take the star away" : "star: show it first")) {
      if (state.starred.erase(id) == 0) state.starred.insert(id);
    }
    if (!line.cupti.empty() && ImGui::MenuItem("copy CUPTI's name"))
      ImGui::SetClipboardText(line.cupti.c_str());
    const bool emulated = line.value->id.starts_with(kEmulatedPrefix);
    if (emulated && context.view.engines.has_emulator() &&
        ImGui::MenuItem("emulate the whole grid"))
      context.requests.ask(request::Trace{m.variant});
    ImGui::EndPopup();
  }
  ImGui::SetCursorPos(start);
  draw_fitting_text(line.starred ? "★ " + line.label : line.label, width);
  if (ImGui::IsItemHovered()) {
    const Variant* variant = find_variant(context.view.scene(), m.variant);
    ImGui::SetTooltip("%s\n%s%s%s%s", line.sentence.c_str(), line.value->id.c_str(),
                      line.cupti.empty() ? "" : "\nCUPTI: ", line.cupti.c_str(),
                      known_differences(variant, line.value->id, m.axes).c_str());
  }
  ImGui::TableNextColumn();
  push_face(style.mono);
  ImGui::PushStyleColor(ImGuiCol_Text, line.value->value && line.stale.empty()
                                           ? style.colours.text
                                           : style.colours.muted);
  ImGui::TextUnformatted(row.cells[kValue].text.c_str());
  ImGui::PopStyleColor();
  ImGui::PopFont();
  if (!line.value->value) explain_missing(line.value->reason, line.value->remedy);
  if (ImGui::TableNextColumn()) {
    push_face(style.mono);
    ImGui::TextDisabled("%s", row.cells[kBaseline].text.c_str());
    ImGui::PopFont();
    if (!line.base) explain_missing(line.no_base);
  }
  if (ImGui::TableNextColumn())
    draw_difference(style, line, verdict, row.cells[kDifference], judges);
  if (ImGui::TableNextColumn()) ImGui::TextDisabled("%s", row.cells[kOrigin].text.c_str());
  if (!ImGui::TableNextColumn()) return;
  ImGui::PushStyleColor(ImGuiCol_Text,
                        line.stale.empty() ? style.colours.text : style.colours.warning);
  draw_fitting_text(row.cells[kMeaning].text, ImGui::GetContentRegionAvail().x);
  ImGui::PopStyleColor();
}

// A part of a run: a step, or all steps with one value of a tag.
struct Part {
  std::string name;  // "conv forward", "layer=Conv1"
  std::vector<MetricValue> metrics;
};

// The part of a point that has this name; no value if it has none.
std::optional<Part> part_of(const Measurement& point, const std::string& name) {
  for (const StepRecord& step : point.steps) {
    if (step.name == name) return Part{name, step.metrics};
  }
  for (const std::string& tag : tags_of(point)) {
    if (!name.starts_with(tag + "=")) continue;
    for (TagTotal& total : totals_by_tag(point, tag)) {
      if (tag + "=" + total.value == name) return Part{name, std::move(total.metrics)};
    }
  }
  return std::nullopt;
}

std::string part_words(const Measurement& point, const std::string& name) {
  for (const StepRecord& step : point.steps) {
    if (step.name != name) continue;
    std::string words;
    for (const auto& [tag, value] : step.tags)
      words += (words.empty() ? "" : ", ") + tag + "=" + value;
    if (step.time_ns)
      words += (words.empty() ? "" : " · ") + format_value(*step.time_ns, "ns") + " alone";
    if (!step.how.empty()) words += (words.empty() ? "" : " · ") + step.how;
    return words;
  }
  for (const std::string& tag : tags_of(point)) {
    for (const TagTotal& total : totals_by_tag(point, tag)) {
      if (tag + "=" + total.value != name) continue;
      return plural(total.steps, "step") + ", " +
             (total.time_ns ? format_value(*total.time_ns, "ns") + " together" : total.reason);
    }
  }
  return "";
}

// The whole run, the steps of a tag, or one step: what the table is of.
void draw_part_chooser(const PanelContext& context, const Measurement& point, MetricsPanel& state) {
  const Style& style = context.style;
  ImGui::SetNextItemWidth(style.unit(30));
  if (begin_tool_combo("##part", state.part.empty() ? "the whole run" : state.part.c_str())) {
    if (ImGui::Selectable("the whole run", state.part.empty())) state.part.clear();
    const auto row = [&](const std::string& name, const std::optional<double>& ns) {
      const std::string time = ns ? "  " + format_value(*ns, "ns") : "";
      if (ImGui::Selectable((name + time + "##" + name).c_str(), name == state.part))
        state.part = name;
    };
    for (const std::string& tag : tags_of(point)) {
      ImGui::TextDisabled("by %s", tag.c_str());
      for (const TagTotal& total : totals_by_tag(point, tag)) {
        if (!total.value.empty()) row(tag + "=" + total.value, total.time_ns);
      }
    }
    ImGui::TextDisabled("steps");
    for (const StepRecord& step : point.steps) row(step.name, step.time_ns);
    ImGui::EndCombo();
  }
  const std::string words = state.part.empty() ? "" : part_words(point, state.part);
  if (words.empty()) return;
  ImGui::SameLine();
  ImGui::PushStyleColor(ImGuiCol_Text, style.colours.muted);
  draw_fitting_text(words, ImGui::GetContentRegionAvail().x);
  ImGui::PopStyleColor();
}

// A button that opens a panel, on the next line where this one has no room.
void draw_link(Selection& selection, const char* text, const char* panel, const char* about) {
  const float width = ImGui::CalcTextSize(text).x + 2 * ImGui::GetStyle().FramePadding.x;
  if (ImGui::GetContentRegionAvail().x < width) ImGui::NewLine();
  if (tool_button(text)) selection.wanted_panel = panel;
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", about);
  ImGui::SameLine();
}

// The panels that say what these figures come to.
void draw_links(const Style& style, Selection& selection, const Measurement& point) {
  if (for_slides() || !has_figures(point.verdict.outcome)) return;
  draw_link(selection, "Advice", "advice", "What to change first, ranked by what it would buy.");
  if (counts_stalls(point.metrics))
    draw_link(selection, "Stalls", "stalls", "What a warp waits for, reason by reason.");
  if (ImGui::GetContentRegionAvail().x < style.unit(16)) ImGui::NewLine();
}

// "float4 columns · correct … · counters full, 9 passes": what the figures are of, and why they are
// not compared.
void draw_about(const PanelContext& context, const Selection& selection, const Measurement& point,
                const MetricBase& base) {
  const Variant* variant = find_variant(context.view.scene(), selection.variant);
  std::string about = variant != nullptr ? variant->label : selection.variant;
  if (const NamedBaseline* named = chosen_baseline(selection.baselines))
    about += " beside “" + named->name + "”";
  if (base.point == nullptr && !base.missing.empty()) about += " · " + base.missing;
  about += " · " + in_words(point.verdict);
  if (point.counter_passes > 0) {
    about += " · counters " + brief_counters(point.counters) + ", " +
             plural(point.counter_passes, "pass", "passes");
  }
  if (point.submission == Submission::graph) about += " · submitted as one CUDA graph";
  draw_fitting_text(about, ImGui::GetContentRegionAvail().x);
  for (const ReportedError& error : point.reported) {
    ImGui::PushStyleColor(ImGuiCol_Text, context.style.colours.muted);
    draw_fitting_text(reported_words(error), ImGui::GetContentRegionAvail().x);
    ImGui::PopStyleColor();
  }
}

// Why there are no figures of the point or of its part; empty: there are.
std::string without_metrics(const Measurement& point, const std::optional<Part>& part) {
  if (part && part->metrics.empty())
    return "This step has no metrics of its own: it was measured without counters.";
  if (!point.metrics.empty()) return "";
  return has_figures(point.verdict.outcome)
             ? "This measurement has no metrics: it was recorded without them."
             : "There are no metrics: only a correct output has figures.";
}

MetricFigures figures_of(const PanelContext& context, const Measurement& point,
                         const std::optional<Part>& part, const MetricBase& base,
                         const std::set<std::string>& starred) {
  const StandingFigures emulated = part ? StandingFigures{} : emulated_beside(context, point);
  MetricFigures figures;
  figures.values = part ? part->metrics : with_modelled(point.metrics, emulated.values);
  const std::vector<RoofShare> shares =
      part ? std::vector<RoofShare>{} : roof_shares_of(context, point);
  for (const RoofShare& share : shares) figures.values.push_back(share.value);
  const std::optional<Part> base_part =
      part && base.point != nullptr ? part_of(*base.point, part->name) : std::nullopt;
  std::vector<MetricValue> whole;
  if (base.point != nullptr && base.judges && !part) {
    if (auto runs = break_even(point, *base.point)) figures.values.push_back(std::move(*runs));
  }
  if (base.point != nullptr && !part) {
    whole = base.point->metrics;
    // Memory's at the level of the focus: another level's share cannot be compared.
    const std::optional<Level> level = shares.empty() ? std::nullopt : shares.front().level;
    for (const RoofShare& share : roof_shares_of(context, *base.point, level))
      whole.push_back(share.value);
  }
  const std::vector<MetricValue>* base_values = base.point == nullptr ? nullptr
                                                : !part               ? &whole
                                                : base_part           ? &base_part->metrics
                                                                      : nullptr;
  const std::string missing = base.point != nullptr && base_values == nullptr
                                  ? "the baseline has no such step"
                                  : base.missing;
  figures.lines =
      metric_lines(context.view.scene(), point.key, figures.values, shares, base_values, missing);
  mark_stale(context.view.scene(), point, emulated, figures.lines);
  bring_starred(starred, figures.lines);
  figures.stalls = stalls_of(context.view, figures.values);
  if (base_values != nullptr) figures.base_stalls = stalls_of(context.view, *base_values);
  return figures;
}

// Begins the table with its heads; false: it has no room.
bool begin_table(const Style& style, bool compared) {
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg |
                                     ImGuiTableFlags_Resizable | ImGuiTableFlags_BordersInnerV |
                                     ImGuiTableFlags_Sortable | ImGuiTableFlags_SortTristate;
  // Wide columns where all of them have room, else narrow ones.
  constexpr float kWide[kShown] = {26, 15, 15, 18, 11, 12},
                  kNarrow[kShown] = {20, 12, 12, 14, 9, 12};
  constexpr float kAllWideUnits = 108;
  const bool roomy = ImGui::GetContentRegionAvail().x >= style.unit(kAllWideUnits);
  constexpr const char* kNames[kShown] = {"metric",     "value",  "baseline",
                                          "difference", "origin", "source or meaning"};
  const auto width = [&](std::size_t i) { return style.unit((roomy ? kWide : kNarrow)[i]); };
  std::array<ColumnRoom, kShown> room{};
  for (std::size_t i = 0; i < kShown; ++i) room[i] = {kNames[i], width(i)};
  // The origin never goes: a figure that is modelled says so. Where nothing is compared, the
  // columns for that would be dashes.
  const auto compares = [](std::size_t i) { return i == kBaseline || i == kDifference; };
  for (std::size_t i = 0; i < kShown && !compared; ++i) room[i].width *= compares(i) ? 0 : 1;
  constexpr int kFirstToGo[] = {kMeaning, kBaseline, kDifference};
  const std::vector<bool> out =
      columns_left_out(room, std::span(kFirstToGo).first(compared ? std::size(kFirstToGo) : 1));
  const auto is_out = [&](std::size_t i) {
    return (!out.empty() && out[i]) || (!compared && compares(i));
  };
  const std::size_t wide = is_out(kMeaning) ? kMetric : kMeaning;
  if (!ImGui::BeginTable("metrics", kShown, kFlags)) return false;
  reach_rows();
  ImGui::TableSetupScrollFreeze(0, 1);
  for (std::size_t i = 0; i < kShown; ++i) {
    ImGui::TableSetupColumn(
        room[i].name,
        (i == wide ? ImGuiTableColumnFlags_WidthStretch : ImGuiTableColumnFlags_WidthFixed) |
            (is_out(i) ? ImGuiTableColumnFlags_Disabled : 0),
        i == wide ? 1.0f : width(i));  // also while it is disabled: the table keeps its first width
  }
  reach_headers();
  ImGui::TableHeadersRow();
  return true;
}

// The metric that was asked for by name: its group opens, and it is looked for among all rows.
// Where the point has no such figure, a notice says so.
void go_to_metric(const std::vector<MetricLine>& lines, Selection& selection, MetricsPanel& state) {
  if (state.go_to.empty()) return;
  state.found = std::exchange(state.go_to, {});
  state.filter.text[0] = '\0';
  for (const MetricLine& line : lines) {
    if (line.value->id != state.found) continue;
    state.open.insert(line.group);
    state.scroll = true;
    return;
  }
  const Metric* metric = find_metric(state.found);
  const bool counter = metric != nullptr && metric->source == MetricSource::cupti;
  selection.notices.push_back("This point has no figure “" +
                              (metric != nullptr ? metric->label : state.found) + "”" +
                              (counter ? ": collect the counters “full” to have it." : "."));
}

// Brings the row that was found into the table's middle, once.
void scroll_to_found(const std::vector<GroupedRow>& drawn, const std::vector<MetricLine>& lines,
                     float row, MetricsPanel& state) {
  if (!std::exchange(state.scroll, false)) return;
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    if (drawn[i].row == nullptr || lines[drawn[i].row->index].value->id != state.found) continue;
    const float at = static_cast<float>(i) * row - ImGui::GetWindowHeight() / 2;
    return ImGui::SetScrollY(std::max(0.0f, at));
  }
}

// The figures of `point`; `whole`: of the whole run.
void draw_figures(const PanelContext& context, Selection& selection, const Measurement& point,
                  const MetricBase& base, const MetricFigures& figures, bool whole,
                  const TableBar& bar, MetricsPanel& state) {
  const Style& style = context.style;
  const std::vector<MetricLine>& lines = figures.lines;
  const auto columns = columns_of(base);
  go_to_metric(lines, selection, state);
  const auto verdict_of = [&](const MetricLine& line) { return judged(point, base, line, whole); };
  const auto made = [&](std::size_t index) {
    const bool beyond = verdict_of(lines[index]).significance == Significance::beyond_noise;
    return cells_of(point, lines[index], base.judges && beyond, index);
  };
  std::vector<TableRow> rows = rows_that_pass(state.filter.text, kValue, lines.size(), made);
  if (rows.empty()) return draw_note(style, "No metric passes the filter.");
  if (!begin_table(style, base.point != nullptr)) return;
  if (bar.wanted || is_order_asked()) make_rows(rows, made);
  const bool sorted = sort_as_asked(rows);
  // What a lesson points at is in view.
  for (const MetricLine& line : lines) {
    if (is_lit(context, line.value->id)) state.open.insert(line.group);
  }
  // What was only emulated is little: nothing is folded.
  const bool every = sorted || state.filter.text[0] != '\0' || !has_figures(point.verdict.outcome);
  std::vector<GroupedRow> drawn = grouped(rows, lines, state.open, every, !sorted);
  const std::vector<StallBar> bars =
      sorted ? std::vector<StallBar>{}
             : stall_bars_beside(context, point, figures.stalls, base.point, figures.base_stalls);
  add_stall_bars(drawn, lines, bars.size());
  const auto lit = std::find_if(drawn.begin(), drawn.end(), [&](const GroupedRow& each) {
    return each.row != nullptr && is_lit(context, lines[each.row->index].value->id);
  });
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(drawn.size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const GroupedRow& each = drawn[static_cast<std::size_t>(i)];
      const TableRow* row = each.row;
      if (row == nullptr) {
        if (each.bar) draw_stall_bar_row(style, selection, bars, *each.bar);
        if (!each.bar) draw_group_head(style, each, every, state.open);
        continue;
      }
      const MetricLine& line = lines[row->index];
      TableRow cells = *row;
      make_row(cells, made);
      ImGui::PushID(line.value->id.c_str());
      draw_line(context, selection, point, line, columns, cells, verdict_of(line), base.judges,
                state);
      ImGui::PopID();
    }
  }
  scroll_to_found(drawn, lines, clipper.ItemsHeight, state);
  if (lit != drawn.end())  // rows are as high as they were drawn
    scroll_to_lit(context, static_cast<int>(lit - drawn.begin()), clipper.ItemsHeight,
                  clipper.ItemsHeight);
  ImGui::EndTable();
  if (bar.wanted) selection.wish = rows_as_csv("metrics", columns, rows);
}

// What was emulated of a scene of the person's own that no device measured here.
void draw_emulated(const PanelContext& context, Selection& selection, MetricsPanel& state) {
  const SessionView& view = context.view;
  const Trace* trace = trace_state(view, selection.variant).trace;
  if (view.shown.catalogue().text(view.shown.name()) == nullptr || trace == nullptr) return;
  const TableBar bar = draw_table_bar("metrics", "filter: text, > 5, < 100 µs   (Ctrl+F)",
                                      state.filter, selection, context.style.unit(38));
  ImGui::SameLine();
  draw_fitting_text("emulated: " + scope_text(*trace), ImGui::GetContentRegionAvail().x);
  Measurement place;
  place.scene = trace->scene;
  place.variant = trace->variant;
  place.key = trace->key;
  place.axes = selection.axes;
  MetricBase base{nullptr, "nothing was measured here", "", true};
  MetricFigures figures;
  figures.values = trace->metrics;
  figures.lines = metric_lines(view.scene(), trace->key, figures.values, {}, nullptr, base.missing);
  bring_starred(state.starred, figures.lines);
  draw_figures(context, selection, place, base, figures, true, bar, state);
}

const MetricFigures& figures_once(const PanelContext& context, const Selection& selection,
                                  const Measurement& point, const std::optional<Part>& part,
                                  const MetricBase& base, MetricsPanel& state) {
  constexpr double kLooksPerSecond = 4;
  const SessionView& view = context.view;
  if (state.kept == nullptr) state.kept = std::make_shared<KeptMetrics>();
  const MetricFiguresOf of{&view.session(),
                           &view.scene(),
                           &point,
                           base.point,
                           view.opened.openings(),
                           view.session().revision(),
                           selection.cache,
                           part ? part->name : "",
                           base.name,
                           base.missing,
                           state.starred,
                           static_cast<std::int64_t>(ImGui::GetTime() * kLooksPerSecond)};
  return state.kept->figures.of(
      of, [&] { return figures_of(context, point, part, base, state.starred); });
}

}  // namespace

void draw_metrics_panel(const PanelContext& context, Selection& selection, MetricsPanel& state) {
  const Style& style = context.style;
  const Measurement* point = context.view.is_emulated_alone()
                                 ? nullptr
                                 : panel_heading(context, selection, selection.variant);
  if (point == nullptr) return draw_emulated(context, selection, state);
  const TableBar bar = draw_table_bar("metrics", "filter: text, > 5, < 100 µs   (Ctrl+F)",
                                      state.filter, selection, style.unit(38));
  ImGui::SameLine();
  draw_links(style, selection, *point);
  const MetricBase base = base_of(context, selection, *point);
  draw_about(context, selection, *point, base);
  if (point->steps.size() > 1) draw_part_chooser(context, *point, state);
  const std::optional<Part> part =
      state.part.empty() || point->steps.size() < 2 ? std::nullopt : part_of(*point, state.part);
  if (!part) state.part.clear();
  if (const std::string why = without_metrics(*point, part); !why.empty())
    return draw_note(style, why);
  const MetricFigures& figures = figures_once(context, selection, *point, part, base, state);
  draw_figures(context, selection, *point, base, figures, !part, bar, state);
}

}  // namespace warpscope
