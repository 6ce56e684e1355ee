// workbench/workspace/selection/selection.cpp: how choices follow from one another.
#include "workbench/workspace/selection/selection.h"

#include <utility>

#include "profiling/session/recorded_stops.h"
#include "scenes/catalogue.h"

namespace warpscope {

Result<Configuration> with_axis(const Scene& scene, const Selection& selection, const Axis& axis,
                                const std::string& text) {
  const auto free = [&selection](const Axis& one) {
    const auto unlinked = selection.unlinked.find(one.name);
    return one.linked_to.empty() || (unlinked != selection.unlinked.end() && unlinked->second);
  };
  const std::string& first = free(axis) ? axis.name : axis.linked_to;
  std::map<std::string, std::string> changes;
  for (const Axis& other : scene.axes) {
    if (other.name == first || (other.linked_to == first && !free(other)) ||
        other.name == axis.name) {
      changes[other.name] = text;
    } else if (other.linked_to == first || other.linked_to == axis.name) {
      changes[other.name] = to_text(value_of(other, selection.axes, selection.variant));
    }
  }
  return with_values(scene.axes, selection.axes, changes);
}

Result<Selection> with_place(const Scene& scene, const Selection& selection, const Axis& x,
                             const AxisValue& at_x, const Axis& y, const AxisValue& at_y) {
  Selection at = selection;
  if (x.linked_to == y.name) at.unlinked[x.name] = true;
  if (y.linked_to == x.name) at.unlinked[y.name] = true;
  for (const auto& [axis, value] : {std::pair(&y, &at_y), std::pair(&x, &at_x)}) {
    Result<Configuration> axes = with_axis(scene, at, *axis, to_text(*value));
    if (axes && scene.settle) axes = scene.settle(*axes);
    if (!axes) return tl::unexpected(axes.error());
    at.axes = std::move(*axes);
  }
  return at;
}

void choose_stop(Selection& selection, const std::string& axis, const Stop& stop) {
  selection.axes = stop.axes;
  selection.touched_axis = axis;
  if (!stop.full()) {
    selection.notices.push_back(axis + " = " + to_text(stop.value) + " is recorded with " +
                                words_of(stop.moves) + "; undo takes all of it back");
  }
}

void begin_scene(Selection& selection, const Scene& scene) {
  selection.scene = scene.name;
  selection.axes = default_configuration(scene.axes);
  selection.variant = selection.baseline = scene.baseline;
  selection.baselines.chosen.clear();
  // After a fork the copy is in focus, beside what it was copied from.
  for (const Variant& variant : scene.variants) {
    if (scene.fork_of.empty() || variant.parent.empty()) continue;
    selection.variant = variant.name;
    selection.baseline = variant.parent;
  }
  selection.unlinked.clear();
  selection.hidden.clear();
  selection.step.clear();
  selection.sweep_second_axis.clear();
  selection.sweep_values.clear();
  selection.sweep_metric = scene.sweep_metric.empty() ? "time.warm" : scene.sweep_metric;
}

void come_back(Selection& selection, const Scene& scene) {
  const auto left = selection.left_at.find(scene.name);
  if (left == selection.left_at.end()) return;
  const auto& [axes, variant, baseline] = left->second;
  selection.axes = axes;
  selection.variant = variant;
  selection.baseline = baseline;
  fit(selection, scene);
}

void refit(Selection& selection, const Scene& scene) {
  Configuration axes = default_configuration(scene.axes);
  for (const Axis& axis : scene.axes) {
    if (!selection.axes.has(axis.name)) continue;
    if (const auto value = parse_axis_value(axis, to_text(selection.axes.at(axis.name))))
      axes.set(axis.name, *value);
  }
  selection.axes = std::move(axes);
  for (std::string* name : {&selection.variant, &selection.baseline}) {
    if (const Variant* variant = variant_at(scene, selection.axes, *name)) *name = variant->name;
  }
}

void fit(Selection& selection, const Scene& scene) {
  for (std::string* name : {&selection.variant, &selection.baseline}) {
    const Variant* variant = variant_at(scene, selection.axes, *name);
    if (variant != nullptr) *name = variant->name;
  }
  const auto sweeps = [&selection](const Axis* axis) {
    return axis != nullptr && applies(*axis, selection.axes);
  };
  if (selection.sweep_second_axis == selection.sweep_axis ||
      !sweeps(find_axis(scene.axes, selection.sweep_second_axis)))
    selection.sweep_second_axis.clear();
  if (sweeps(find_axis(scene.axes, selection.sweep_axis))) return;
  for (const char* usual : {"n", ""}) {
    for (const Axis& axis : scene.axes) {
      const bool number = axis.kind == AxisKind::integer || axis.kind == AxisKind::real;
      if (!number || !sweeps(&axis) || (*usual != '\0' && axis.name != usual)) continue;
      selection.sweep_axis = axis.name;
      return;
    }
  }
}

}  // namespace warpscope
