// workbench/panels/figures/sweep_panel.cpp: a metric against an axis, one line a variant.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "workbench/drawing/focus.h"
#include "workbench/panels/axes/axis_row.h"
#include "workbench/panels/axes/pin_strip.h"
#include "workbench/panels/panels.h"
#include "workbench/workspace/jobs/job_scheduler.h"
#include "workbench/workspace/pinned_points.h"

namespace warpscope {
namespace {

struct SweepPoint {
  double x = 0, y = 0;
  const Measurement* point = nullptr;
  bool earlier = false;  // measured with an earlier source
};

struct SweepLine {
  const Variant* variant;
  int index;
  std::vector<SweepPoint> points;  // by axis value
};

// What could be a point and is none, and why.
struct LeftOut {
  int failed = 0, lacking = 0;
  std::string why_failed, why_lacking;  // of the first
};

// The axes in which a point may not differ from the selection: all of the problem and of its own
// variant but the swept one. Those that are linked to it have its value at every point.
struct HeldAxes {
  std::vector<std::pair<std::string, AxisValue>> values;  // by name, as a configuration keeps them
  std::vector<std::string> follow;
};
HeldAxes held_axes(const Scene& scene, const Selection& selection, const std::string& variant,
                   const std::string& swept) {
  HeldAxes held;
  const Configuration base = for_variant(scene.axes, selection.axes, variant);
  for (const Axis& axis : scene.axes) {
    if (!of_variant(axis, variant) || axis.name == swept || !applies(axis, base)) continue;
    const auto free = selection.unlinked.find(axis.name);
    if (axis.linked_to == swept && (free == selection.unlinked.end() || !free->second)) {
      held.follow.push_back(axis.name);
    } else {
      held.values.emplace_back(axis.name, value_of(axis, base, variant));
    }
  }
  std::sort(held.values.begin(), held.values.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  return held;
}

bool on_the_line(const HeldAxes& held, const Measurement& point, const std::string& swept) {
  const auto& values = point.axes.values();
  auto at = values.begin();
  for (const auto& [name, value] : held.values) {
    while (at != values.end() && at->first < name) ++at;
    if (at == values.end() || at->first != name || at->second != value) return false;
  }
  return std::all_of(held.follow.begin(), held.follow.end(), [&](const std::string& name) {
    return point.axes.has(name) && point.axes.real(name) == point.axes.real(swept);
  });
}

// The points of a variant that are on its line, by axis value. Each is looked at once: a long
// session has thousands, of some fifteen axes each, and a drag adds to them in every frame.
const std::vector<std::pair<double, std::size_t>>& found_points(
    SweepPanel::Found& found, const std::vector<const Measurement*>& points, const HeldAxes& held,
    const Axis& axis) {
  if (found.looked_at > points.size()) found = {};  // points only come: these are other ones
  for (; found.looked_at < points.size(); ++found.looked_at) {
    const Measurement& point = *points[found.looked_at];
    if (!point.axes.has(axis.name) || !on_the_line(held, point, axis.name)) continue;
    const std::pair<double, std::size_t> place = {point.axes.real(axis.name), found.looked_at};
    found.places.insert(std::upper_bound(found.places.begin(), found.places.end(), place), place);
  }
  return found.places;
}

std::vector<SweepLine> lines_of(const PanelContext& context, const Selection& selection,
                                const Axis& axis, SweepPanel& state, LeftOut& left_out) {
  std::vector<SweepLine> lines;
  const SessionView& view = context.view;
  const Scene& scene = view.scene();
  SweepPanel::Line line_of{
      view.opened.openings(), &view.session(), scene.name, axis.name, view.device(), {}, {}};
  for (const auto& [name, value] : selection.axes.values()) {
    if (name != axis.name) line_of.others.emplace_back(name, to_text(value));
  }
  for (const auto& [name, free] : selection.unlinked) {
    if (free) line_of.free.push_back(name);
  }
  if (state.found_for.changes_to(std::move(line_of))) state.found.clear();
  for (const Variant* variant : view.points.shown_variants()) {
    SweepLine line{variant, variant_index(scene, variant->name), {}};
    const HeldAxes held = held_axes(scene, selection, variant->name, axis.name);
    const auto points = view.session().points(scene.name, variant->name, view.device());
    for (const auto& [x, place] : found_points(state.found[variant->name], points, held, axis)) {
      const Measurement* point = points[place];
      if (!has_figures(point->verdict.outcome)) {
        if (left_out.failed++ == 0) {
          left_out.why_failed = variant->label + " at " + axis.name + " = " +
                                to_text(point->axes.at(axis.name)) + ": " +
                                to_text(point->verdict.outcome) + ", " + point->verdict.sentence;
        }
        continue;
      }
      const MetricValue* value = find_value(point->metrics, selection.sweep_metric);
      if (value == nullptr || !value->value) {
        if (left_out.lacking++ == 0) {
          left_out.why_lacking =
              value == nullptr || value->reason.empty()
                  ? variant->label + " was measured without it"
                  : value->reason + (value->remedy.empty() ? "" : "; " + value->remedy);
        }
        continue;
      }
      line.points.push_back({x, *value->value, point, !view.points.earlier_source(*point).empty()});
    }
    if (!line.points.empty()) lines.push_back(std::move(line));
  }
  return lines;
}

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
    sentences.push_back(fmt::format("✕ {} without a correct output have no dot; {}",
                                    left_out.failed, left_out.why_failed));
  }
  if (left_out.lacking > 0) {
    sentences.push_back(
        fmt::format("– {} lack this metric; {}", left_out.lacking, left_out.why_lacking));
  }
  int earlier = 0;
  for (const SweepLine& line : lines) {
    for (const SweepPoint& point : line.points) earlier += point.earlier ? 1 : 0;
  }
  if (earlier > 0) {
    sentences.push_back(
        fmt::format("○ {} hollow: measured with an earlier source, not compared", earlier));
  }
  ImGui::PushStyleColor(ImGuiCol_Text, style.colours.warning);
  for (const std::string& text : sentences) draw_fitting_text(text, room);
  ImGui::PopStyleColor();
}

void draw_choosers(const PanelContext& context, Selection& selection) {
  const Scene& scene = context.view.scene();
  ImGui::SetNextItemWidth(context.style.unit(18));
  if (begin_tool_combo("##axis", ("over " + selection.sweep_axis).c_str())) {
    for (const Axis& axis : scene.axes) {
      if (axis.kind != AxisKind::integer && axis.kind != AxisKind::real) continue;
      if (!applies(axis, selection.axes)) continue;
      if (ImGui::Selectable(name_and_label(axis, "  ").c_str(), axis.name == selection.sweep_axis))
        selection.sweep_axis = axis.name;
    }
    ImGui::EndCombo();
  }
  // Where three do not fit beside each other, they flow on.
  const auto beside = [](float width) {
    ImGui::SameLine();
    if (ImGui::GetContentRegionAvail().x < width) ImGui::NewLine();
  };
  beside(context.style.unit(26));
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
  beside(ImGui::CalcTextSize("cancel sweep").x + 2 * ImGui::GetStyle().FramePadding.x);
  if (context.view.jobs.sweep_progress().running()) {
    if (tool_button("cancel sweep")) context.requests.ask(request::CancelSweep{});
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("What is measured stays.");
    return;
  }
  ImGui::BeginDisabled(context.view.recorded());
  if (tool_button("run sweep")) context.requests.ask(request::Sweep{});
  ImGui::EndDisabled();
  if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) {
    ImGui::SetTooltip(context.view.recorded()
                          ? "A recorded session: there is no GPU here to measure on."
                          : "Measures all shown variants at the axis's marks (Ctrl+W).");
  }
}

// Why there is no line at all, and what to do.
const char* without_lines(const SessionView& view) {
  return view.points.shown_variants().empty()
             ? "Nothing is selected: every variant is hidden; click a marker in the list."
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
    const bool focus = line.variant->name == selection.variant;
    for (const SweepPoint& p : line.points) {
      xs.push_back(p.x);
      ys.push_back(p.y);
      if (!focus) continue;
      focus_x.push_back(xs.back());
      focus_y.push_back(ys.back());
    }
  }
  SweepPanel::Fitted fit{axis.name, metric.id, {}};
  for (const Axis& a : context.view.scene().axes) {
    if (selection.axes.has(a.name) && !a.choices.empty())
      fit.choices.push_back(selection.axes.text(a.name));
  }
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
void draw_line(const PlotArea& area, const Style& style, const SweepLine& line, bool focus,
               HoveredDot& hovered) {
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
  ImGui::SetTooltip("%s\n%s = %s\n%s %s%s", hovered.line->variant->label.c_str(), axis.name.c_str(),
                    to_text(hovered.point->axes.at(axis.name)).c_str(), metric.label.c_str(),
                    format_value(*value_of(hovered.point->metrics, metric.id), metric.unit).c_str(),
                    earlier.empty() ? "" : ("\n○ " + earlier).c_str());
}

// The variants that have a line; a click puts one in focus.
void draw_legend(const Style& style, const std::vector<SweepLine>& lines, Selection& selection) {
  ImGui::BeginChild("legend", {0, 0}, kReached);
  for (const SweepLine& line : lines) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float height = ImGui::GetTextLineHeight();
    draw_marker(ImGui::GetWindowDrawList(), {at.x + height / 2, at.y + height / 2}, height * 0.3f,
                variant_marker(line.index), variant_colour(style, line.index), Fill::solid);
    ImGui::Dummy({height * 1.2f, height});
    ImGui::SameLine();
    ImGui::PushStyleColor(ImGuiCol_Text, line.variant->name == selection.variant
                                             ? style.colours.text
                                             : style.colours.muted);
    draw_fitting_text(line.variant->label, ImGui::GetContentRegionAvail().x);
    ImGui::PopStyleColor();
    if (ImGui::IsItemClicked()) selection.variant = line.variant->name;
  }
  ImGui::EndChild();
}

}  // namespace

void draw_sweep_panel(const PanelContext& context, Selection& selection, SweepPanel& state) {
  const Style& style = context.style;
  draw_choosers(context, selection);
  const Axis* axis = find_axis(context.view.scene().axes, selection.sweep_axis);
  const Metric* metric = find_metric(selection.sweep_metric);
  if (axis == nullptr || metric == nullptr) return draw_note(style, "Choose an axis and a metric.");
  if (axis->kind != AxisKind::integer && axis->kind != AxisKind::real) {
    return draw_note(style, axis->name +
                                " is a choice, not a number: its points are in Metrics, one choice "
                                "at a time. Choose a number to plot against.");
  }
  LeftOut left_out;
  const std::vector<SweepLine> lines = lines_of(context, selection, *axis, state, left_out);
  draw_state(context, lines, left_out);
  if (lines.empty()) return draw_note(style, without_lines(context.view));
  PlotArea area = begin_sweep(context, selection, *axis, *metric, lines, state);
  HoveredDot hovered;
  for (const SweepLine& line : lines)
    draw_line(area, style, line, line.variant->name == selection.variant, hovered);
  draw_pin_letters(context, selection, area, lines);
  draw_here(context, selection, area, *axis, state.view);
  end_plot(area);
  if (hovered.point != nullptr) {
    explain_dot(context, hovered, *axis, *metric);
    if (area.clicked) selection.variant = hovered.line->variant->name;
  }
  draw_pin_menu(context, selection, area.menu, hovered.point, state.pin);
  ImGui::SameLine();
  draw_legend(style, lines, selection);
}

}  // namespace warpscope
