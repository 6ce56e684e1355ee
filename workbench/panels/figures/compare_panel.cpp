// workbench/panels/figures/compare_panel.cpp: the two pinned points beside each other: times,
// metrics, axes and sources.
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "profiling/agreement/point_pair.h"
#include "profiling/agreement/trace_metrics.h"
#include "profiling/points/point.h"
#include "workbench/drawing/focus.h"
#include "workbench/panels/axes/pin_strip.h"
#include "workbench/panels/figures/compare_sources.h"
#include "workbench/panels/outcome.h"
#include "workbench/panels/panels.h"
#include "workbench/workspace/pinned_points.h"

namespace warpscope {
namespace {

enum Column : std::uint8_t { kMetric, kA, kB, kDifference, kChange, kId, kGroup, kCells };
constexpr int kShown = kId;
const std::array<TableColumn, kCells> kColumns = {{{"metric", ""},
                                                   {"A", "1"},
                                                   {"B", "1"},
                                                   {"B - A", "1"},
                                                   {"B against A", "ratio"},
                                                   {"id", ""},
                                                   {"group", ""}}};

// What the session has of a pinned point, and what was emulated there.
PairSide side_of(const PanelContext& context, const PinnedPoint& pin) {
  const SessionView& view = context.view;
  const Scene* scene = view.shown.find(pin.scene);
  PairSide side;
  side.scene = pin.scene;
  side.problem = scene == nullptr ? pin.key : problem_key(scene->axes, pin.axes);
  side.point = point_of(view, pin);
  if (side.point != nullptr) {
    const StandingFigures emulated = modelled_or_last(view.session(), *side.point);
    side.values =
        with_modelled(side.point->metrics,
                      emulated.stale_key.empty() ? emulated.values : std::vector<MetricValue>{});
    side.earlier = view.points.earlier_source(*side.point);
  } else if (const Trace* trace = trace_of(view, pin)) {
    side.values = trace->metrics;
  }
  return side;
}

bool has_emulated(const PairSide& side) {
  return std::any_of(side.values.begin(), side.values.end(), [](const MetricValue& value) {
    return value.value && value.id.starts_with(kEmulatedPrefix);
  });
}

std::string time_text(const std::optional<Timing>& timing) {
  return !timing ? "–"
                 : format_value(timing->median_ns, "ns") + " ± " +
                       format_value(timing->noise_ratio, "ratio");
}

// "A  cold 71.9 µs ± 0.3 %, warm 46.1 µs ± 0.2 %", or why there are no times.
void draw_times(const PanelContext& context, const char* letter, const PinnedPoint& pin,
                const PairSide& side) {
  const Style& style = context.style;
  ImGui::PushStyleColor(ImGuiCol_Text, style.colours.accent);
  ImGui::TextUnformatted(letter);
  ImGui::PopStyleColor();
  ImGui::SameLine();
  std::string words = label_of(context.view, pin) + " · ";
  if (side.point == nullptr) {
    words += context.view.recorded() ? "not in the recorded session" : "not measured yet";
  } else if (!has_figures(side.point->verdict.outcome)) {
    words += verdict_text(side.point->verdict.outcome) + ": " + side.point->verdict.sentence;
  } else {
    words += "cold " + time_text(side.point->cold) + ", warm " + time_text(side.point->warm);
  }
  const bool here = pin.scene == context.view.scene().name;
  const Variant* variant = find_variant(context.view.scene(), pin.variant);
  const bool may_emulate = here && variant != nullptr && variant->own_kernels &&
                           context.view.engines.has_emulator() && !has_emulated(side);
  const float button = may_emulate ? ImGui::CalcTextSize("emulate").x + style.unit(3) : 0;
  draw_fitting_text(words, ImGui::GetContentRegionAvail().x - button);
  if (!may_emulate) return;
  ImGui::SameLine();
  ImGui::PushID(letter);
  if (ImGui::SmallButton("emulate")) {
    context.requests.ask(request::Trace{pin.variant, {{pin.axes}}});
  }
  ImGui::PopID();
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("Run the whole grid on the CPU for its requests, sectors and wavefronts.");
}

// What the two have to do with each other, in a sentence each.
void draw_verdict(const PanelContext& context, const Selection& selection, const PairSide& a,
                  const PairSide& b, const PointPair& pair) {
  const Pins& pins = selection.pins;
  const Scene* scene = context.view.shown.find(pins.a->scene);
  std::string axes;
  if (scene != nullptr && pins.a->scene == pins.b->scene) {
    for (const AxisPair& axis :
         differing_axes(*scene, pins.a->axes, pins.a->variant, pins.b->axes, pins.b->variant)) {
      axes += (axes.empty() ? "" : ", ") + axis.axis + " " + (axis.a.empty() ? "–" : axis.a) +
              " | " + (axis.b.empty() ? "–" : axis.b) + (axis.own ? " (its own)" : "");
    }
    axes = axes.empty() ? "the same values of every axis" : "axes, A | B: " + axes;
  }
  if (!pair.apart.empty()) {
    draw_age(
        context.style,
        (pair.other_problem ? "○ neither is better or worse: " : "○ not compared: ") + pair.apart);
  } else {
    std::string words;
    for (const CacheState cache : {CacheState::cold, CacheState::warm}) {
      const Comparison times = compare_times(*a.point, *b.point, cache);
      if (!times.sentence.empty())
        words += (words.empty() ? "B against A: " : "; ") + std::string(to_text(cache)) + " " +
                 times.sentence;
    }
    draw_fitting_text(words, ImGui::GetContentRegionAvail().x);
  }
  if (axes.empty()) return;
  ImGui::PushStyleColor(ImGuiCol_Text, context.style.colours.muted);
  draw_fitting_text(axes, ImGui::GetContentRegionAvail().x);
  ImGui::PopStyleColor();
}

// "59.6 % less", "31.4 times as much".
std::string compared_text(double change) {
  if (change == 0) return "the same";
  constexpr double kTimes = 2;  // from here on a multiple says more than a percentage
  char text[48];
  if (change > kTimes) {
    std::snprintf(text, sizeof text, "%.1f times as much", change + 1);
  } else {
    std::snprintf(text, sizeof text, "%.1f %% %s", std::abs(change) * 100,
                  change < 0 ? "less" : "more");
  }
  return text;
}

TableRow cells_of(const PairedFigure& figure, std::size_t index) {
  // A change from nothing has no share.
  const bool from_none = figure.a == 0.0 && figure.b && *figure.b != 0;
  TableCell change = words_cell(from_none ? "none before" : "–");
  if (figure.change) {
    change = {compared_text(*figure.change), figure.change, "ratio"};
  }
  return {{words_cell(figure.label), figure_cell(figure.a, figure.unit),
           figure_cell(figure.b, figure.unit), figure_cell(figure.difference, figure.unit), change,
           words_cell(figure.id), words_cell(figure.group)},
          index};
}

// Better and worse are words; what is within the noise is grey.
void draw_change(const Style& style, const PairedFigure& figure, const TableCell& cell) {
  const bool better = figure.verdict == PairVerdict::better;
  const bool worse = figure.verdict == PairVerdict::worse;
  ImGui::PushStyleColor(
      ImGuiCol_Text, better  ? style.colours.good
                     : worse ? style.colours.bad
                     : figure.verdict == PairVerdict::neither || figure.verdict == PairVerdict::none
                         ? style.colours.text
                         : style.colours.muted);
  ImGui::TextUnformatted((cell.text + (better ? " · better" : worse ? " · worse" : "")).c_str());
  ImGui::PopStyleColor();
  if (!figure.no_difference.empty()) return explain_missing(figure.no_difference);
  if (ImGui::IsItemHovered() && figure.verdict == PairVerdict::noise)
    ImGui::SetTooltip("%s", figure.noise.c_str());
}

void draw_figure(const Style& style, const PairedFigure& figure, const TableRow& row,
                 Selection& selection) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  const ImVec2 start = ImGui::GetCursorPos();
  const float width = ImGui::GetContentRegionAvail().x;
  ImGui::Selectable("##row", false,
                    ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowOverlap);
  if (begin_row_menu(kColumns, row, selection, "compare")) ImGui::EndPopup();
  ImGui::SetCursorPos(start);
  draw_fitting_text(figure.label, width);
  if (ImGui::IsItemHovered()) {
    ImGui::SetTooltip("%s\n%s%s%s", figure.sentence.c_str(), figure.id.c_str(),
                      figure.cupti_name.empty() ? "" : "\nCUPTI: ", figure.cupti_name.c_str());
  }
  const std::string* reasons[] = {&figure.no_a, &figure.no_b, &figure.no_difference};
  for (int column = kA; column <= kDifference; ++column) {
    ImGui::TableNextColumn();
    const TableCell& cell = row.cells[static_cast<std::size_t>(column)];
    push_face(style.mono);
    ImGui::PushStyleColor(
        ImGuiCol_Text, cell.value && column != kDifference && figure.verdict != PairVerdict::noise
                           ? style.colours.text
                           : style.colours.muted);
    ImGui::TextUnformatted(cell.text.c_str());
    ImGui::PopStyleColor();
    ImGui::PopFont();
    if (!cell.value) explain_missing(*reasons[column - kA]);
  }
  ImGui::TableNextColumn();
  draw_change(style, figure, row.cells[kChange]);
}

void draw_figures(const PanelContext& context, Selection& selection, const PointPair& pair,
                  ComparePanel& state) {
  const Style& style = context.style;
  const TableBar bar =
      draw_table_bar("compare", "filter: text, > 5, < 100 µs", state.filter, selection,
                     std::min(ImGui::GetContentRegionAvail().x, style.unit(50)));
  std::vector<TableRow> rows;
  for (std::size_t i = 0; i < pair.figures.size(); ++i) {
    TableRow row = cells_of(pair.figures[i], i);
    if (passes(state.filter.text, row, kB)) rows.push_back(std::move(row));
  }
  if (pair.figures.empty()) return draw_note(style, "Neither has a figure: press run, or emulate.");
  if (rows.empty()) return draw_note(style, "No metric passes the filter.");
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg |
                                     ImGuiTableFlags_Resizable | ImGuiTableFlags_BordersInnerV |
                                     ImGuiTableFlags_Sortable | ImGuiTableFlags_SortTristate;
  if (!ImGui::BeginTable("compare", kShown, kFlags)) return;
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableSetupColumn("metric", ImGuiTableColumnFlags_WidthStretch);
  for (const char* name : {"A", "B", "B − A"})
    ImGui::TableSetupColumn(name, ImGuiTableColumnFlags_WidthFixed, style.unit(10));
  ImGui::TableSetupColumn("B against A", ImGuiTableColumnFlags_WidthFixed, style.unit(21));
  reach_headers();
  ImGui::TableHeadersRow();
  sort_as_asked(rows);
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(rows.size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const TableRow& row = rows[static_cast<std::size_t>(i)];
      ImGui::PushID(pair.figures[row.index].id.c_str());
      draw_figure(style, pair.figures[row.index], row, selection);
      ImGui::PopID();
    }
  }
  ImGui::EndTable();
  if (bar.wanted) selection.wish = rows_as_csv("compare", kColumns, rows);
}

}  // namespace

void draw_compare_panel(const PanelContext& context, Selection& selection, ComparePanel& state) {
  const Style& style = context.style;
  if (!selection.pins.both()) {
    draw_pin_strip(context, selection);
    return draw_note(style,
                     std::string(selection.pins.any() ? "Pin one more point" : "Pin two points") +
                         " to see them beside each other: a right click on a variant, or "
                         "Ctrl+1 (A) and Ctrl+2 (B) for the one in focus.");
  }
  const PinnedPoint pin_a = *selection.pins.a, pin_b = *selection.pins.b;
  const PairSide a = side_of(context, pin_a), b = side_of(context, pin_b);
  const PointPair pair = pair_points(a, b);
  draw_times(context, "A", pin_a, a);
  draw_times(context, "B", pin_b, b);
  draw_verdict(context, selection, a, b, pair);
  const float room = ImGui::GetContentRegionAvail().x;
  // Side by side where both have room; else one, and a button for the other.
  const bool wide = room > style.unit(120);
  if (!wide && ImGui::Button(state.sources ? "show the figures" : "show the sources"))
    state.sources = !state.sources;
  if (wide || !state.sources) {
    ImGui::BeginChild("figures", {wide ? room * 0.55f : 0, 0});
    draw_figures(context, selection, pair, state);
    ImGui::EndChild();
  }
  if (wide) ImGui::SameLine(0, style.unit(1));
  if (wide || state.sources) {
    ImGui::BeginChild("sources", {0, 0});
    draw_compared_sources(context, selection, pin_a, pin_b, state);
    ImGui::EndChild();
  }
}

}  // namespace warpscope
