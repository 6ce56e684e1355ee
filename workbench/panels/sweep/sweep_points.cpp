// workbench/panels/sweep/sweep_points.cpp: which points of a session are on the axes of a sweep.
#include "workbench/panels/sweep/sweep_points.h"

#include <algorithm>
#include <set>

#include "profiling/overview/advice_list.h"

namespace warpscope {
namespace {

using AxisList = std::span<const Axis* const>;

bool is_among(AxisList axes, const std::string& name) {
  return std::any_of(axes.begin(), axes.end(),
                     [&](const Axis* axis) { return axis->name == name; });
}

// The axes in which a point may not differ from the selection: all of the problem and of its own
// variant but the swept ones. Those that are linked to a swept one have its value at every point.
struct HeldAxes {
  std::vector<std::pair<std::string, AxisValue>> values;  // by name, as a configuration keeps them
  std::vector<std::pair<std::string, std::string>> follow;  // an axis, and the one it is linked to
};
HeldAxes held_axes(const Scene& scene, const Selection& selection, const std::string& variant,
                   AxisList swept) {
  HeldAxes held;
  const auto linked_to = [&](const Axis& axis) {
    const auto free = selection.unlinked.find(axis.name);
    return free == selection.unlinked.end() || !free->second ? axis.linked_to : std::string();
  };
  // Which swept axis moves another one: that which it is linked to, or one that is linked as it is.
  const auto moved_by = [&](const Axis& axis) -> const Axis* {
    for (const Axis* each : swept) {
      const std::string leader = linked_to(*each).empty() || is_among(swept, each->linked_to)
                                     ? each->name
                                     : each->linked_to;
      if (axis.name == leader || linked_to(axis) == leader) return each;
    }
    return nullptr;
  };
  const Configuration base = for_variant(scene.axes, selection.axes, variant);
  for (const Axis& axis : scene.axes) {
    if (!of_variant(axis, variant) || is_among(swept, axis.name) || !applies(axis, base)) continue;
    if (const Axis* moves = moved_by(axis)) {
      held.follow.emplace_back(axis.name, moves->name);
    } else {
      held.values.emplace_back(axis.name, value_of(axis, base, variant));
    }
  }
  std::sort(held.values.begin(), held.values.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  return held;
}

bool is_held(const HeldAxes& held, const Measurement& point, AxisList swept) {
  for (const Axis* axis : swept) {
    if (!point.axes.has(axis->name)) return false;
  }
  const auto& values = point.axes.values();
  auto at = values.begin();
  for (const auto& [name, value] : held.values) {
    while (at != values.end() && at->first < name) ++at;
    if (at == values.end() || at->first != name || at->second != value) return false;
  }
  return std::all_of(held.follow.begin(), held.follow.end(), [&](const auto& pair) {
    return point.axes.has(pair.first) &&
           point.axes.real(pair.first) == point.axes.real(pair.second);
  });
}

// The points of a variant that are on the swept axes, by the value of one axis alone.
const std::vector<std::pair<double, std::size_t>>& found_points(
    SweepPanel::Found& found, const std::vector<const Measurement*>& points, const HeldAxes& held,
    AxisList swept) {
  if (found.looked_at > points.size()) found = {};  // points only come: these are other ones
  for (; found.looked_at < points.size(); ++found.looked_at) {
    const Measurement& point = *points[found.looked_at];
    if (!is_held(held, point, swept)) continue;
    const double x = swept.size() == 1 ? point.axes.real(swept[0]->name) : 0;
    const std::pair<double, std::size_t> place = {x, found.looked_at};
    found.places.insert(std::upper_bound(found.places.begin(), found.places.end(), place), place);
  }
  return found.places;
}

void forget_of_another_line(const SessionView& view, const Selection& selection, AxisList swept,
                            SweepPanel& state) {
  SweepPanel::Line line{
      view.opened.openings(), &view.session(), view.scene().name, {}, view.device(), {}, {}};
  for (const Axis* axis : swept) line.axes.push_back(axis->name);
  for (const auto& [name, value] : selection.axes.values()) {
    if (!is_among(swept, name)) line.others.emplace_back(name, to_text(value));
  }
  for (const auto& [name, free] : selection.unlinked) {
    if (free) line.free.push_back(name);
  }
  if (state.found_for.changes_to(std::move(line))) state.found.clear();
}

// The figure of a point; no value after having said in `left_out` why there is none.
std::optional<double> figure_of(const std::string& label, const Measurement& point, AxisList swept,
                                const std::string& metric, LeftOut& left_out) {
  if (!has_figures(point.verdict.outcome)) {
    if (left_out.failed++ == 0) {
      left_out.why_failed = label + " at ";
      for (const Axis* axis : swept)
        left_out.why_failed += axis->name + " = " + to_text(point.axes.at(axis->name)) + ", ";
      left_out.why_failed.resize(left_out.why_failed.size() - 2);
      left_out.why_failed +=
          std::string(": ") + to_text(point.verdict.outcome) + ", " + point.verdict.sentence;
    }
    return std::nullopt;
  }
  const MetricValue* value = find_value(point.metrics, metric);
  if (value != nullptr && value->value) return *value->value;
  if (left_out.lacking++ == 0) {
    left_out.why_lacking =
        value == nullptr || value->reason.empty()
            ? label + " was measured without it"
            : value->reason + (value->remedy.empty() ? "" : "; " + value->remedy);
  }
  return std::nullopt;
}

// Points of a session, and which of them are on a line.
struct FoundPoints {
  const std::vector<const Measurement*>& points;
  const std::vector<std::pair<double, std::size_t>>& places;
};
void add_points(const PanelContext& context, const Selection& selection, AxisList swept,
                const FoundPoints& found, SweepLine& line, LeftOut& left_out) {
  const std::string label =
      line.device.empty() ? line.label : line.variant->label + " on " + line.label;
  for (const auto& [x, place] : found.places) {
    const Measurement* point = found.points[place];
    const std::optional<double> y =
        figure_of(label, *point, swept, selection.sweep_metric, left_out);
    if (y)
      line.points.push_back({x, *y, point, !context.view.points.earlier_source(*point).empty()});
  }
}

// An automatic choice ran the kernel of one of the others: both would tie wherever they are best.
void leave_out_choices(const std::vector<const Variant*>& variants,
                       std::vector<PlacedFigure>& figures) {
  const std::vector<PlacedFigure> all = figures;
  std::erase_if(figures, [&](const PlacedFigure& figure) {
    if (figure.point->choice.empty()) return false;
    return std::any_of(all.begin(), all.end(), [&](const PlacedFigure& other) {
      return other.x == figure.x && other.y == figure.y &&
             chose(*figure.point, *variants[other.variant]);
    });
  });
}

}  // namespace

std::vector<SweepLine> lines_of(const PanelContext& context, const Selection& selection,
                                const Axis& axis, SweepPanel& state, LeftOut& left_out) {
  std::vector<SweepLine> lines;
  const SessionView& view = context.view;
  const Axis* const swept[] = {&axis};
  forget_of_another_line(view, selection, swept, state);
  for (const Variant* variant : view.points.shown_variants()) {
    SweepLine line{variant,
                   variant_index(view.scene(), variant->name),
                   {},
                   variant->label,
                   variant->name == selection.variant};
    const HeldAxes held = held_axes(view.scene(), selection, variant->name, swept);
    const auto points = view.session().points(view.scene().name, variant->name, view.device());
    add_points(context, selection, swept,
               {points, found_points(state.found[variant->name], points, held, swept)}, line,
               left_out);
    if (!line.points.empty()) lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<SweepLine> lines_of_devices(const PanelContext& context, const Selection& selection,
                                        const Axis& axis, SweepPanel& state, LeftOut& left_out) {
  std::vector<SweepLine> lines;
  const SessionView& view = context.view;
  const Axis* const swept[] = {&axis};
  forget_of_another_line(view, selection, swept, state);
  const Variant* variant = find_variant(view.scene(), selection.variant);
  if (variant == nullptr) return lines;
  const HeldAxes held = held_axes(view.scene(), selection, variant->name, swept);
  for (const DeviceName& device : view.session().devices()) {
    SweepLine line{variant,         static_cast<int>(lines.size()), {},
                   to_text(device), device.id() == view.device(),   device.id()};
    const auto points = view.session().points(view.scene().name, variant->name, device.id());
    SweepPanel::Found& found = state.found[variant->name + " on " + device.id()];
    add_points(context, selection, swept, {points, found_points(found, points, held, swept)}, line,
               left_out);
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<const Variant*> compared_variants(const SessionView& view, const Selection& selection,
                                              AxisList axes) {
  // Other variants can apply at another choice.
  std::vector<Configuration> places = {selection.axes};
  for (const Axis* axis : axes) {
    const std::vector<Configuration> before = places;
    for (const std::string& choice : axis->choices) {
      for (Configuration place : before) {
        place.set(axis->name, choice);
        places.push_back(std::move(place));
      }
    }
  }
  std::set<const Variant*> shown;
  for (const Configuration& place : places) {
    for (const Variant* variant : view.points.shown_variants(place)) shown.insert(variant);
  }
  const Variant* focus = find_variant(view.scene(), selection.variant);
  std::vector<const Variant*> compared;
  for (const Variant& variant : view.scene().variants) {
    const bool one_league = focus == nullptr || variant.league == focus->league;
    if (one_league && shown.count(&variant) != 0) compared.push_back(&variant);
  }
  return compared;
}

std::vector<PlacedFigure> placed_figures(const PanelContext& context, const Selection& selection,
                                         const std::vector<const Variant*>& variants, AxisList axes,
                                         SweepPanel& state, LeftOut& left_out) {
  std::vector<PlacedFigure> figures;
  const SessionView& view = context.view;
  forget_of_another_line(view, selection, axes, state);
  for (std::size_t i = 0; i < variants.size(); ++i) {
    const std::string& name = variants[i]->name;
    const HeldAxes held = held_axes(view.scene(), selection, name, axes);
    const auto points = view.session().points(view.scene().name, name, view.device());
    for (const auto& [x, place] : found_points(state.found[name], points, held, axes)) {
      const Measurement& point = *points[place];
      const std::optional<double> value =
          figure_of(variants[i]->label, point, axes, selection.sweep_metric, left_out);
      if (!value) continue;
      if (point.verdict.outcome == Outcome::no_reference) {
        ++left_out.unchecked;
        continue;
      }
      if (!view.points.earlier_source(point).empty()) {
        ++left_out.earlier;
        continue;
      }
      figures.push_back(
          {point.axes.at(axes[0]->name), point.axes.at(axes[1]->name), i, &point, *value});
    }
  }
  leave_out_choices(variants, figures);
  return figures;
}

}  // namespace warpscope
