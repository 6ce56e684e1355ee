// workbench/workspace/jobs/sweep_places.cpp: the configurations that a sweep measures.
#include "workbench/workspace/jobs/sweep_places.h"

#include <utility>

namespace warpscope {
namespace {

constexpr std::size_t kMostPlaces = 2500;

// An axis and what it takes; no axis: one place of what is selected.
struct Taken {
  const Axis* axis = nullptr;
  std::vector<AxisValue> values = {std::int64_t{0}};
};

Result<Taken> taken(const Scene& scene, const Selection& selection, const std::string& name) {
  const Axis* axis = find_axis(scene.axes, name);
  if (axis == nullptr)
    return failure(ErrorKind::usage, "choose an axis to sweep first", "Sweep", "");
  if (!applies(*axis, selection.axes)) {
    return failure(ErrorKind::usage, axis->name + " means nothing at this configuration", "Sweep",
                   "choose another axis");
  }
  Result<std::vector<AxisValue>> values = swept_values(*axis, selection);
  if (!values) return tl::unexpected(values.error());
  return Taken{axis, std::move(*values)};
}

Result<Configuration> configuration_at(const Scene& scene, const Selection& selection,
                                       const Taken& x, const AxisValue& at_x, const Taken& y,
                                       const AxisValue& at_y) {
  if (y.axis == nullptr) {
    Result<Configuration> axes = with_axis(scene, selection, *x.axis, to_text(at_x));
    return axes && scene.settle ? scene.settle(*axes) : axes;
  }
  Result<Selection> at = with_place(scene, selection, *x.axis, at_x, *y.axis, at_y);
  if (!at) return tl::unexpected(at.error());
  return std::move(at->axes);
}

}  // namespace

Result<std::vector<AxisValue>> swept_values(const Axis& axis, const Selection& selection) {
  const auto typed = selection.sweep_values.find(axis.name);
  if (typed != selection.sweep_values.end() && !typed->second.empty())
    return parse_axis_range(axis, typed->second);
  std::vector<AxisValue> values;
  if (axis.kind == AxisKind::choice) {
    for (const std::string& choice : axis.choices) values.emplace_back(choice);
  } else if (!axis.stops.empty()) {
    for (const double stop : axis.stops) {
      values.push_back(axis.kind == AxisKind::integer ? AxisValue(static_cast<std::int64_t>(stop))
                                                      : AxisValue(stop));
    }
  } else {
    const std::string range =
        std::to_string(axis.minimum) + ":" + std::to_string(axis.maximum) + ":9";
    if (Result<std::vector<AxisValue>> spread = parse_axis_range(axis, range))
      values = std::move(*spread);
  }
  return values;
}

Result<SweepPlaces> sweep_places(const Scene& scene, const Selection& selection) {
  Result<Taken> x = taken(scene, selection, selection.sweep_axis);
  if (!x) return tl::unexpected(x.error());
  Taken y;
  if (!selection.sweep_second_axis.empty()) {
    Result<Taken> second = taken(scene, selection, selection.sweep_second_axis);
    if (!second) return tl::unexpected(second.error());
    y = std::move(*second);
  }
  const std::size_t count = x->values.size() * y.values.size();
  if (count > kMostPlaces) {
    return failure(
        ErrorKind::usage, "these are " + std::to_string(count) + " places", "Sweep",
        "name fewer values: at most " + std::to_string(kMostPlaces) + " places are swept");
  }
  SweepPlaces places{x->axis->name + (y.axis == nullptr ? "" : " × " + y.axis->name), {}, 0, {}};
  for (const AxisValue& row : y.values) {
    for (const AxisValue& column : x->values) {
      Result<Configuration> at = configuration_at(scene, selection, *x, column, y, row);
      const Result<void> admitted = at ? scene.admit(*at) : tl::unexpected(at.error());
      if (admitted) {
        places.all.push_back(std::move(*at));
      } else {
        ++places.refused;
        places.why = sentence(admitted.error());
      }
    }
  }
  return places;
}

}  // namespace warpscope
