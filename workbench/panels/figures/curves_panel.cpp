// workbench/panels/figures/curves_panel.cpp: the curves that a run left: a loss at every step.
#include <imgui.h>

#include <cmath>
#include <cstdio>

#include "profiling/points/point.h"
#include "workbench/panels/outcome.h"
#include "workbench/panels/panels.h"
#include "workbench/panels/training_strip.h"

namespace warpscope {
namespace {

struct Curve {
  const Variant* variant;
  int index;
  const Series* series;
  bool hollow;          // of another configuration or an earlier source
  std::string where;    // " on NVIDIA H100 (GPU-…)", where it is not the device that is shown
  bool beside = false;  // of the same run, with the same axes: the loss of images held out
};

const Series* series_named(const ShownOutcomes<Series>& shown, const std::string& name) {
  for (const Series* series : shown.list) {
    if (series->name == name) return series;
  }
  return nullptr;
}

// The curve of this name of the variant in focus, then that of what it is compared with.
struct Curves {
  std::vector<Curve> list;
  std::string alone;  // why none stands beside it; empty: one does, or nothing is to
};
Curves curves_to_draw(const PanelContext& context, const Selection& selection,
                      const ShownOutcomes<Series>& focus, const std::string& name) {
  const SessionView& view = context.view;
  const Scene& scene = view.scene();
  Curves curves;
  const bool hollow = focus.stale || !focus.apart.empty();
  if (const Series* series = series_named(focus, name)) {
    const Variant* variant = find_variant(scene, selection.variant);
    const int index = variant_index(scene, selection.variant);
    curves.list.push_back({variant, index, series, hollow, ""});
    for (const Series* other : focus.list) {
      if (other != series && other->along == series->along && other->unit == series->unit)
        curves.list.push_back({variant, index, other, hollow, "", true});
    }
  }
  const PointId id = view.points.baseline_id(selection.variant);
  const Variant* variant = find_variant(scene, id.variant);
  const bool itself = id == view.point_id(selection.variant);
  if (variant == nullptr || itself || hollow) return curves;
  const auto base =
      outcomes_to_show(view, id, view.session().outcomes().series_of(scene.name, id.variant));
  const Series* series = base.stale ? nullptr : series_named(base, name);
  if (series == nullptr) return curves;
  const Measurement *here = view.state(selection.variant).point,
                    *there = view.points.baseline_state(selection.variant).point;
  const bool across = !selection.baseline_device.empty();
  if (!base.apart.empty()) {
    curves.alone = "it was " + base.apart;
  } else if (!across && here != nullptr && there != nullptr) {
    curves.alone = comparable(*there, *here).reason;
  }
  if (!curves.alone.empty()) return curves;
  curves.list.push_back(
      {variant, variant_index(scene, variant->name), series, false,
       across && there != nullptr ? " on " + to_text(device_of(there->conditions)) : ""});
  return curves;
}

const std::vector<CurvePoint>& thinned_once(CurvesPanel& state, const Series& series) {
  // Some for every pixel across: more cannot be told apart.
  constexpr std::size_t kMost = 4000;
  const PointId& point = series.point;
  return state.thinned[{point.variant, point.device_uuid, series.name}].of(
      CurvesPanel::Grown{point.key, point.code_id, series.job, series.x.size(),
                         series.y.empty() ? "" : to_text(AxisValue(series.y.back()))},
      [&] { return thinned(series, kMost); });
}

// Losses and rates of all sizes: four digits, and a unit where there is one.
std::string value_text(double value, const std::string& unit) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return unit.empty() || unit == "1" ? text : text + (" " + unit);
}

std::string at_its_end(const Series& series) {
  if (series.y.empty()) return "no point yet";
  return value_text(series.y.back(), series.unit) + " at " + series.along + " " +
         to_text(AxisValue(series.x.back()));
}

void draw_choosers(const ShownOutcomes<Series>& focus, CurvesPanel& state, bool positive,
                   Selection& selection, const Style& style) {
  if (focus.list.size() > 1) {
    ImGui::SetNextItemWidth(style.unit(24));
    const Series* chosen = series_named(focus, state.chosen);
    if (begin_tool_combo("##curve", chosen == nullptr ? "" : chosen->label.c_str())) {
      for (const Series* series : focus.list) {
        if (ImGui::Selectable((series->label + "##" + series->name).c_str(), series == chosen))
          state.chosen = series->name;
      }
      ImGui::EndCombo();
    }
    ImGui::SameLine();
  }
  ImGui::BeginDisabled(!positive);
  ImGui::PushStyleColor(ImGuiCol_Text,
                        state.log_y && positive ? style.colours.accent : style.colours.muted);
  if (tool_button("log")) state.log_y = !state.log_y;
  ImGui::PopStyleColor();
  ImGui::EndDisabled();
  if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) {
    ImGui::SetTooltip(positive ? "Decades evenly, or values evenly."
                               : "Some values are not above 0: they have no logarithm.");
  }
  ImGui::SameLine();
  if (tool_button("CSV"))
    selection.wish = {ExportWish::Kind::rows, "curves", curves_csv(focus.list)};
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("All curves of this point, one row per value.");
}

void draw_curve(const PlotArea& area, const Style& style, const Curve& curve,
                const std::vector<CurvePoint>& points, bool focus) {
  const ImU32 full = variant_colour(style, curve.index);
  const ImU32 colour = focus && !curve.hollow ? full : faded(full, 0.6f);
  for (std::size_t i = 1; i < points.size(); ++i) {
    const ImVec2 a = area.at(points[i - 1].x, points[i - 1].y),
                 b = area.at(points[i].x, points[i].y);
    if (b.x < area.low.x || a.x > area.high.x) continue;
    if (curve.hollow || curve.beside) {
      add_dashed_line(area.list, a, b, colour, style.unit(0.16f), style.unit(0.5f));
    } else {
      area.list->AddLine(a, b, colour, style.unit(focus ? 0.25f : 0.16f));
    }
  }
  if (points.empty()) return;
  draw_marker(area.list, area.at(points.back().x, points.back().y), style.unit(0.6f),
              variant_marker(curve.index), colour,
              curve.hollow || curve.beside ? Fill::ring : Fill::solid);
}

// What the pointer is on stays under it while curves grow: the fit of the moment at which it came
// holds until it leaves, or asks for all by a double click.
void hold_fit(CurvesPanel& state, const CurvesPanel::Fitted& of, const PlotScale& x,
              const PlotScale& y) {
  const bool same = !state.fit_of.changes_to(of);
  if (state.pointed && same && !ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) return;
  state.fit_x = x;
  state.fit_y = y;
}

// The value of every curve at the step under the pointer.
void draw_reading(const PlotArea& area, const Style& style, const std::vector<Curve>& curves) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (!area.hovered || !area.inside(mouse)) return;
  const double x = area.view->x.value((mouse.x - area.low.x) / (area.high.x - area.low.x));
  std::string words;
  for (const Curve& curve : curves) {
    const std::vector<double>& xs = curve.series->x;
    if (xs.empty() || !std::is_sorted(xs.begin(), xs.end())) continue;
    auto at = std::lower_bound(xs.begin(), xs.end(), x);
    if (at == xs.end() || (at != xs.begin() && x - *(at - 1) < *at - x)) --at;
    const double y = curve.series->y[static_cast<std::size_t>(at - xs.begin())];
    const ImVec2 place = area.at(*at, y);
    area.list->AddCircle(place, style.unit(0.6f), style.colours.accent, 0, style.unit(0.18f));
    words +=
        (words.empty() ? "" : "\n") + curve.variant->label + curve.where + ": " +
        (curve.beside || curves.front().series != curve.series ? curve.series->label + " " : "") +
        value_text(y, curve.series->unit) + " at " + curve.series->along + " " +
        to_text(AxisValue(*at));
  }
  if (!words.empty()) ImGui::SetTooltip("%s", words.c_str());
}

// How fresh the curves are, and why the baseline is not among them.
void draw_standing(const Style& style, const ShownOutcomes<Series>& focus, const Curves& curves,
                   bool says_progress) {
  const Series& first = *curves.list.front().series;
  if (focus.stale) {
    draw_age(style, "stale: the last curve that came, of " + first.point.key);
  } else if (!focus.apart.empty()) {
    draw_age(style, "○ " + focus.apart + ": it is not compared");
  } else if (first.partial && !says_progress) {
    draw_age(style, "… the run goes on: " + std::to_string(first.x.size()) + " values until now");
  }
  if (!curves.alone.empty()) draw_note(style, "The baseline is not drawn: " + curves.alone + ".");
}

// Every curve's name with the value at its end.
void draw_legend(const Style& style, const std::vector<Curve>& curves) {
  for (const Curve& curve : curves) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float height = ImGui::GetTextLineHeight();
    draw_marker(ImGui::GetWindowDrawList(), {at.x + height / 2, at.y + height / 2}, height * 0.3f,
                variant_marker(curve.index), variant_colour(style, curve.index),
                curve.hollow || curve.beside ? Fill::ring : Fill::solid);
    ImGui::Dummy({height * 1.2f, height});
    ImGui::SameLine();
    ImGui::PushStyleColor(ImGuiCol_Text, variant_colour(style, curve.index));
    draw_fitting_text(curve.variant->label + curve.where + ": " + curve.series->label + " " +
                          at_its_end(*curve.series),
                      ImGui::GetContentRegionAvail().x);
    ImGui::PopStyleColor();
  }
}

}  // namespace

void draw_curves_panel(const PanelContext& context, Selection& selection, CurvesPanel& state) {
  const Style& style = context.style;
  const SessionView& view = context.view;
  draw_training_strip(context, selection);
  const auto focus = shown_or_explained(
      context, selection, view.session().outcomes().series_of(view.scene().name, selection.variant),
      "curve", leaves_curves(view));
  if (!focus) return;
  if (series_named(*focus, state.chosen) == nullptr) state.chosen = focus->list.front()->name;
  const Curves shown_curves = curves_to_draw(context, selection, *focus, state.chosen);
  const std::vector<Curve>& curves = shown_curves.list;
  std::vector<double> xs, ys;
  bool positive = true;
  for (const Curve& curve : curves) {
    for (const CurvePoint& point : thinned_once(state, *curve.series)) {
      xs.push_back(point.x);
      ys.push_back(point.y);
      positive = positive && point.y > 0;
    }
  }
  draw_choosers(*focus, state, positive, selection, style);
  draw_standing(style, *focus, shown_curves, view.scene().training != nullptr);
  draw_legend(style, curves);
  if (xs.empty()) return draw_note(style, "The curve has no value yet.");
  const Series& first = *curves.front().series;
  const bool log = state.log_y && positive;
  const CurvesPanel::Fitted fit{state.chosen, first.point.variant, first.point.key, log};
  if (state.shown.changes_to(fit) || log != state.view.y.log) state.view = {};
  offer_selection(state.view, xs, ys);
  hold_fit(state, fit, fitted(xs, false, 0.03), fitted(ys, log, 0.08));
  PlotArea area =
      begin_plot("curves", ImGui::GetContentRegionAvail(), {first.along, "1"},
                 {first.label, first.unit}, state.view, state.fit_x, state.fit_y, style);
  state.pointed = area.hovered;
  // The focus lies on top.
  for (auto curve = curves.rbegin(); curve != curves.rend(); ++curve)
    draw_curve(area, style, *curve, thinned_once(state, *curve->series), &*curve == &curves[0]);
  draw_reading(area, style, curves);
  end_plot(area);
}

}  // namespace warpscope
