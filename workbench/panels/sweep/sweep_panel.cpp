// workbench/panels/sweep/sweep_panel.cpp: a metric against an axis, one line a variant.
#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "profiling/tuning/choice_story.h"
#include "scenes/base/plural.h"
#include "workbench/drawing/focus.h"
#include "workbench/panels/axes/axis_row.h"
#include "workbench/panels/axes/pin_strip.h"
#include "workbench/panels/panels.h"
#include "workbench/panels/sweep/sweep_devices.h"
#include "workbench/panels/sweep/sweep_expected.h"
#include "workbench/panels/sweep/sweep_map.h"
#include "workbench/panels/sweep/sweep_points.h"
#include "workbench/panels/sweep/sweep_progress.h"
#include "workbench/workspace/jobs/job_scheduler.h"
#include "workbench/workspace/jobs/sweep_places.h"
#include "workbench/workspace/pinned_points.h"

namespace warpscope {
namespace {

// Under the choosers: how far a sweep is, and which points have no place on the plot.
void draw_state(const PanelContext& context, const std::vector<SweepLine>& lines,
                const LeftOut& left_out) {
  const Style& style = context.style;
  const SweepProgress sweep = context.view.jobs.sweep_progress();
  const float room = ImGui::GetContentRegionAvail().x;
  std::vector<std::string> sentences;
  if (sweep.running()) {
    sentences.push_back(
        fmt::format("… sweeping {}: {} of {} measured", sweep.axis, sweep.done, sweep.of));
  }
  if (left_out.failed > 0) {
    sentences.push_back(fmt::format("✕ {} without a correct output left out; {}",
                                    plural(left_out.failed, "point"), left_out.why_failed));
  }
  if (left_out.lacking > 0) {
    sentences.push_back(fmt::format("– {} without this metric left out; {}",
                                    plural(left_out.lacking, "point"), left_out.why_lacking));
  }
  int earlier = 0;
  for (const SweepLine& line : lines) {
    for (const SweepPoint& point : line.points) earlier += point.earlier ? 1 : 0;
  }
  if (left_out.unchecked > 0) {
    sentences.push_back(fmt::format("– {} left out: nothing says whether their output is right",
                                    left_out.unchecked));
  }
  if (left_out.earlier > 0) {
    sentences.push_back(
        fmt::format("○ {} left out: measured with an earlier source", left_out.earlier));
  }
  if (earlier > 0) {
    sentences.push_back(
        fmt::format("○ {} hollow: measured with an earlier source, not compared", earlier));
  }
  ImGui::PushStyleColor(ImGuiCol_Text, style.colours.warning);
  for (const std::string& text : sentences) draw_fitting_text(text, room);
  ImGui::PopStyleColor();
}

bool is_number(const Axis& axis) {
  return axis.kind == AxisKind::integer || axis.kind == AxisKind::real;
}

// What the second chooser offers: an axis whose values can be listed.
bool is_second(const Axis& axis, const Selection& selection) {
  return axis.name != selection.sweep_axis && applies(axis, selection.axes) &&
         (is_number(axis) || axis.kind == AxisKind::choice);
}

// Choosers flow on where they do not fit beside each other.
void beside(float width) {
  ImGui::SameLine();
  if (ImGui::GetContentRegionAvail().x < width) ImGui::NewLine();
}

void choose_axes(const PanelContext& context, Selection& selection) {
  const Scene& scene = context.view.scene();
  const float width = context.style.unit(18);
  const bool map = !selection.sweep_second_axis.empty();
  ImGui::SetNextItemWidth(width);
  if (begin_tool_combo("##axis", ("over " + selection.sweep_axis).c_str())) {
    for (const Axis& axis : scene.axes) {
      if (!applies(axis, selection.axes) || axis.name == selection.sweep_second_axis) continue;
      if (!is_number(axis) && !(map && axis.kind == AxisKind::choice)) continue;
      if (ImGui::Selectable(name_and_label(axis, "  ").c_str(), axis.name == selection.sweep_axis))
        selection.sweep_axis = axis.name;
    }
    ImGui::EndCombo();
  }
  beside(width);
  ImGui::SetNextItemWidth(width);
  const std::string second = map ? "and " + selection.sweep_second_axis : "alone";
  if (begin_tool_combo("##second", second.c_str())) {
    if (ImGui::Selectable("alone: a line per variant", !map)) selection.sweep_second_axis.clear();
    for (const Axis& axis : scene.axes) {
      if (!is_second(axis, selection)) continue;
      if (!ImGui::Selectable(name_and_label(axis, "  ").c_str(),
                             axis.name == selection.sweep_second_axis))
        continue;
      selection.sweep_second_axis = axis.name;
      selection.sweep_devices = SweepDevices::shown;  // a map is of one device
    }
    ImGui::EndCombo();
  }
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("With a second axis: a map of which variant is best at each place of both.");
}

void choose_metric(const PanelContext& context, Selection& selection) {
  ImGui::SetNextItemWidth(context.style.unit(26));
  const Metric* metric = find_metric(selection.sweep_metric);
  if (begin_tool_combo(
          "##metric", metric == nullptr ? selection.sweep_metric.c_str() : metric->label.c_str())) {
    for (const Metric& row : all_metrics()) {
      if (row.source == MetricSource::emulator) continue;  // of traces, not of measured points
      if (ImGui::Selectable((row.label + "##" + row.id).c_str(), row.id == selection.sweep_metric))
        selection.sweep_metric = row.id;
    }
    ImGui::EndCombo();
  }
}

// How many points a sweep is of, or why it cannot begin.
std::string sweep_words(const PanelContext& context, const Selection& selection) {
  const Result<SweepPlaces> places = sweep_places(context.view.scene(), selection);
  if (!places) return sentence(places.error());
  std::size_t points = 0;
  for (const Configuration& axes : places->all)
    points += context.view.points.shown_variants(axes).size();
  std::string words =
      fmt::format("Measures {} places, {} points in all (Ctrl+W).", places->all.size(), points);
  if (places->refused > 0)
    words += fmt::format("\n{} places are left out: {}", places->refused, places->why);
  return words;
}

void draw_run_button(const PanelContext& context, const Selection& selection) {
  if (context.view.jobs.sweep_progress().running()) {
    if (tool_button("cancel sweep")) context.requests.ask(request::CancelSweep{});
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("What is measured stays.");
    return;
  }
  ImGui::BeginDisabled(context.view.recorded());
  if (tool_button("run sweep")) context.requests.ask(request::Sweep{});
  ImGui::EndDisabled();
  if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) {
    ImGui::SetTooltip("%s", context.view.recorded()
                                ? "A recorded session: there is no GPU here to measure on."
                                : sweep_words(context, selection).c_str());
  }
}

// The values that a sweep takes, one field per axis; an empty one stands for the axis's own.
void draw_values_to_take(const PanelContext& context, Selection& selection) {
  if (context.view.recorded() || for_slides()) return;
  bool first = true;
  for (const std::string& name : {selection.sweep_axis, selection.sweep_second_axis}) {
    const Axis* axis = find_axis(context.view.scene().axes, name);
    if (axis == nullptr) continue;
    const float width = context.style.unit(26);
    const float label = ImGui::CalcTextSize((name + " = ").c_str()).x;
    if (!first) beside(width + label);
    first = false;
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted((name + " =").c_str());
    ImGui::SameLine();
    ImGui::SetNextItemWidth(width);
    std::string& typed = selection.sweep_values[name];
    ImGui::InputTextWithHint(("##values " + name).c_str(),
                             axis->kind == AxisKind::choice ? "all choices" : "its marks", &typed);
    if (ImGui::IsItemHovered())
      ImGui::SetTooltip("Values to sweep: 16,32,64 or 16:512:9, nine from 16 to 512.");
    const Result<std::vector<AxisValue>> values = swept_values(*axis, selection);
    if (values) continue;
    ImGui::PushStyleColor(ImGuiCol_Text, context.style.colours.warning);
    draw_paragraph(sentence(values.error()));
    ImGui::PopStyleColor();
    first = true;
  }
}

void draw_choosers(const PanelContext& context, Selection& selection) {
  const float width = context.style.unit(26);
  if (context.view.session().devices().size() > 1) {
    choose_devices(context, selection, width);
    beside(width);
  }
  if (shown_devices(context.view, selection) == SweepDevices::table) {
    if (tool_button("CSV")) selection.wish = rows_of_devices(context.view, selection.cache);
    if (ImGui::IsItemHovered())
      ImGui::SetTooltip("Every point of this scene on every device, one row each.");
    return;
  }
  choose_axes(context, selection);
  beside(width);
  choose_metric(context, selection);
  beside(ImGui::CalcTextSize("cancel sweep").x + 2 * ImGui::GetStyle().FramePadding.x);
  draw_run_button(context, selection);
  beside(ImGui::CalcTextSize("several devices …").x + 2 * ImGui::GetStyle().FramePadding.x);
  draw_plan_button(context, selection.planned);
  draw_plan_fields(context, selection);
}

// Why there is no line at all, and what to do.
const char* without_lines(const SessionView& view) {
  return view.points.shown_variants().empty()
             ? "Nothing is selected: every variant is hidden; click a marker in the list."
         : view.recorded() && view.opened.recorded_name().empty()
             ? "A sweep measures, and there is no GPU here. Move the slider instead: emulated "
               "counts "
               "and diagrams follow."
         : view.recorded()
             ? "The recorded session has no points along this axis at this configuration: try a "
               "preset, or sweep another axis."
             : "No points yet: press run sweep, or move the slider of this axis in live mode.";
}

// The plot, which is fitted again where the axis, the metric or a choice is another one.
PlotArea begin_sweep(const PanelContext& context, const Selection& selection, const Axis& axis,
                     const Metric& metric, const std::vector<SweepLine>& lines, SweepPanel& state) {
  std::vector<double> xs, ys, focus_x, focus_y;
  for (const SweepLine& line : lines) {
    for (const SweepPoint& p : line.points) {
      xs.push_back(p.x);
      ys.push_back(p.y);
      if (!line.focus) continue;
      focus_x.push_back(xs.back());
      focus_y.push_back(ys.back());
    }
  }
  SweepPanel::Fitted fit{axis.name, metric.id, {}};
  for (const Axis& a : context.view.scene().axes) {
    if (selection.axes.has(a.name) && !a.choices.empty())
      fit.choices.push_back(selection.axes.text(a.name));
  }
  if (!lines.front().device.empty()) fit.choices.push_back(lines.front().variant->name);
  if (state.shown.changes_to(std::move(fit))) state.view = {};
  const bool log_y =
      *std::min_element(ys.begin(), ys.end()) > 0 && metric.unit != "ratio" && metric.unit != "%";
  offer_selection(state.view, focus_x, focus_y);
  const Style& style = context.style;
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float legend = std::min(style.unit(27), room.x * 0.35f);
  return begin_plot("sweep", {room.x - legend, room.y}, {name_and_label(axis, ", "), "1"},
                    {metric.label, metric.unit}, state.view,
                    fitted(xs, axis.scale == AxisScale::log, 0.06), fitted(ys, log_y, 0.08), style);
}

struct HoveredDot {
  const Measurement* point = nullptr;
  const SweepLine* line = nullptr;
};

// One variant's line with its dots. `hovered` becomes the dot under the pointer.
void draw_line(const PlotArea& area, const Style& style, const SweepLine& line,
               HoveredDot& hovered) {
  const bool focus = line.focus;
  const ImU32 colour =
      focus ? variant_colour(style, line.index) : faded(variant_colour(style, line.index), 0.75f);
  const float radius = style.unit(focus ? 0.65f : 0.5f);
  ImVec2 before{}, marked{};
  for (std::size_t i = 0; i < line.points.size(); ++i) {
    const SweepPoint& p = line.points[i];
    const ImVec2 at = area.at(p.x, p.y);
    if (i > 0) area.list->AddLine(before, at, colour, style.unit(focus ? 0.32f : 0.16f));
    before = at;
    // Markers that lie on each other are a blot: one stands for them. Each can be hovered.
    const bool apart = i == 0 || p.earlier != line.points[i - 1].earlier ||
                       std::hypot(at.x - marked.x, at.y - marked.y) >= radius * 2;
    if (apart) {
      marked = at;
      draw_marker(area.list, at, radius, variant_marker(line.index), colour,
                  p.earlier ? Fill::ring : Fill::solid);
    }
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    if (area.hovered && std::hypot(mouse.x - at.x, mouse.y - at.y) < style.unit(1))
      hovered = {p.point, &line};
  }
}

// "A" left and "B" right of the dots that are pinned.
void draw_pin_letters(const PanelContext& context, const Selection& selection, const PlotArea& area,
                      const std::vector<SweepLine>& lines) {
  const Style& style = context.style;
  const Pins& pins = selection.pins;
  for (const auto& [letter, pin] : {std::pair("A", &pins.a), std::pair("B", &pins.b)}) {
    const Measurement* point = *pin ? point_of(context.view, **pin) : nullptr;
    if (point == nullptr) continue;
    const ImVec2 size = ImGui::CalcTextSize(letter);
    const float aside = *letter == 'A' ? -style.unit(1) - size.x : style.unit(1);
    for (const SweepLine& line : lines) {
      for (const SweepPoint& p : line.points) {
        const ImVec2 at = area.at(p.x, p.y);
        if (p.point != point || !area.inside(at)) continue;
        const ImVec2 low = {at.x + aside, at.y - size.y / 2};
        area.list->AddRectFilled({low.x - 1, low.y}, {low.x + size.x + 1, low.y + size.y},
                                 style.colours.panel);
        area.list->AddText(low, style.colours.accent, letter);
      }
    }
  }
}

// A dashed line at the value that is selected.
void draw_here(const PanelContext& context, const Selection& selection, const PlotArea& area,
               const Axis& axis, const PlotView& view) {
  const Style& style = context.style;
  const Configuration axes =
      for_variant(context.view.scene().axes, selection.axes, selection.variant);
  const double here = axes.has(axis.name) ? axes.real(axis.name) : axis.minimum;
  const float x = area.at(here, view.y.low).x;
  add_dashed_line(area.list, {x, area.low.y}, {x, area.high.y}, style.colours.muted, 1,
                  style.unit(0.5f));
}

void explain_dot(const PanelContext& context, const HoveredDot& hovered, const Axis& axis,
                 const Metric& metric) {
  const std::string earlier = context.view.points.earlier_source(*hovered.point);
  ImGui::SetTooltip("%s\n%s = %s\n%s %s%s", hovered.line->label.c_str(), axis.name.c_str(),
                    to_text(hovered.point->axes.at(axis.name)).c_str(), metric.label.c_str(),
                    format_value(*value_of(hovered.point->metrics, metric.id), metric.unit).c_str(),
                    earlier.empty() ? "" : ("\n○ " + earlier).c_str());
}

// A click puts the line's variant, or its device, in focus.
void choose_line(const SweepLine& line, Selection& selection) {
  if (line.device.empty()) {
    selection.variant = line.variant->name;
  } else {
    selection.device = line.device;
  }
}

// The variants or devices that have a line; a device without one says so.
void draw_legend(const Style& style, const std::vector<SweepLine>& lines, Selection& selection) {
  ImGui::BeginChild("legend", {0, 0}, kReached);
  if (!lines.front().device.empty()) draw_paragraph(lines.front().variant->label);
  for (const SweepLine& line : lines) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float height = ImGui::GetTextLineHeight();
    if (!line.points.empty())
      draw_marker(ImGui::GetWindowDrawList(), {at.x + height / 2, at.y + height / 2}, height * 0.3f,
                  variant_marker(line.index), variant_colour(style, line.index), Fill::solid);
    ImGui::Dummy({height * 1.2f, height});
    ImGui::SameLine();
    ImGui::PushStyleColor(ImGuiCol_Text, line.focus ? style.colours.text : style.colours.muted);
    draw_fitting_text(line.points.empty() ? "– " + line.label : line.label,
                      ImGui::GetContentRegionAvail().x);
    ImGui::PopStyleColor();
    if (ImGui::IsItemClicked()) choose_line(line, selection);
  }
  ImGui::EndChild();
}

// Whether places without a measurement are predicted: on from the start if the variant in focus
// chooses by fitted costs.
ExpectedMap draw_prediction_switch(const PanelContext& context, const Selection& selection,
                                   SweepMap& map, SweepPanel& state) {
  const Scene& scene = context.view.scene();
  if (variant_by_costs(scene) == nullptr || map.metric->better == Better::neither) return {};
  const bool on = state.predicted.value_or(chooses_by_costs(scene, selection.variant));
  const char* const words = on ? "measured alone" : "predict the rest";
  beside(ImGui::CalcTextSize(words).x + 2 * ImGui::GetStyle().FramePadding.x);
  if (tool_button(words)) state.predicted = !on;
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("%s",
                      on ? "Show only places that were measured."
                         : "Where nothing was measured, show the winner that the fitted costs "
                           "of the automatic choice expect. Those cells are hatched.");
  return on ? expect_places(context, selection, map, state) : ExpectedMap{};
}

void draw_lines(const PanelContext& context, Selection& selection, const Axis& axis,
                const Metric& metric, const std::vector<SweepLine>& lines, SweepPanel& state) {
  PlotArea area = begin_sweep(context, selection, axis, metric, lines, state);
  HoveredDot hovered;
  for (const SweepLine& line : lines) draw_line(area, context.style, line, hovered);
  draw_pin_letters(context, selection, area, lines);
  draw_here(context, selection, area, axis, state.view);
  end_plot(area);
  if (hovered.point != nullptr) {
    explain_dot(context, hovered, axis, metric);
    if (area.clicked) choose_line(*hovered.line, selection);
  }
  draw_pin_menu(context, selection, area.menu, hovered.point, state.pin);
  ImGui::SameLine();
  draw_legend(context.style, lines, selection);
}

void draw_map_of(const PanelContext& context, Selection& selection, const Axis& x, const Axis& y,
                 const Metric& metric, SweepPanel& state) {
  LeftOut left_out;
  SweepMap map = map_of(context, selection, x, y, metric, state, left_out);
  const ExpectedMap expected = draw_prediction_switch(context, selection, map, state);
  if (!map.winners.cells.empty()) {
    beside(ImGui::CalcTextSize("CSV").x + 2 * ImGui::GetStyle().FramePadding.x);
    if (tool_button("CSV")) selection.wish = rows_of(context.view.scene(), map, expected);
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("Every figure of the map, one row each.");
  }
  draw_values_to_take(context, selection);
  draw_state(context, {}, left_out);
  if (metric.better == Better::neither) {
    return draw_note(context.style, metric.label +
                                        ": neither higher nor lower values are better, so no "
                                        "variant wins by it. Choose another metric, for example a "
                                        "time.");
  }
  if (map.winners.cells.empty()) {
    const SessionView& view = context.view;
    return draw_note(context.style,
                     view.recorded()
                         ? "The recorded session has no points over these two axes at this "
                           "configuration: try a preset, or choose another axis."
                         : "No points yet: press run sweep.");
  }
  if (!expected.why.empty()) draw_note(context.style, expected.why);
  draw_map(context, selection, map, expected);
}

}  // namespace

void draw_sweep_panel(const PanelContext& context, Selection& selection, SweepPanel& state) {
  const Style& style = context.style;
  draw_choosers(context, selection);
  draw_planned_sweeps(context);
  if (shown_devices(context.view, selection) == SweepDevices::table)
    return draw_device_table(context, selection);
  const Axis* second = find_axis(context.view.scene().axes, selection.sweep_second_axis);
  const Axis* axis = find_axis(context.view.scene().axes, selection.sweep_axis);
  const Metric* metric = find_metric(selection.sweep_metric);
  if (axis == nullptr || metric == nullptr) return draw_note(style, "Choose an axis and a metric.");
  if (second != nullptr) return draw_map_of(context, selection, *axis, *second, *metric, state);
  draw_values_to_take(context, selection);
  if (axis->kind != AxisKind::integer && axis->kind != AxisKind::real) {
    return draw_note(style, axis->name +
                                " is a choice, not a number: its points are in Metrics, one choice "
                                "at a time. Choose a number to plot against.");
  }
  LeftOut left_out;
  const bool devices = shown_devices(context.view, selection) == SweepDevices::lines;
  const std::vector<SweepLine> lines =
      devices ? lines_of_devices(context, selection, *axis, state, left_out)
              : lines_of(context, selection, *axis, state, left_out);
  draw_state(context, lines, left_out);
  const bool any = std::any_of(lines.begin(), lines.end(),
                               [](const SweepLine& line) { return !line.points.empty(); });
  if (!any) return draw_note(style, without_lines(context.view));
  draw_lines(context, selection, *axis, *metric, lines, state);
}

}  // namespace warpscope
