// workbench/workspace/pinned_points.cpp: what is pinned, and what the session has of it.
#include "workbench/workspace/pinned_points.h"

#include "profiling/overview/costly_trace.h"

namespace warpscope {

PinnedPoint pin_at(const SessionView& view, const std::string& variant, const Configuration& axes) {
  const Scene& scene = view.scene();
  return {scene.name, variant, axes, configuration_key(scene.axes, axes, variant), view.device()};
}

PinnedPoint pin_here(const SessionView& view, const std::string& variant) {
  return pin_at(view, variant, view.selection.axes);
}

const Measurement* point_of(const SessionView& view, const PinnedPoint& point) {
  return view.session().latest(id_of(point));
}

const Trace* trace_of(const SessionView& view, const PinnedPoint& point) {
  return costly_trace(view.session(), id_of(point));
}

std::string label_of(const SessionView& view, const PinnedPoint& point) {
  const Scene* scene = view.shown.find(point.scene);
  const Variant* variant = scene == nullptr ? nullptr : find_variant(*scene, point.variant);
  return variant == nullptr ? point.variant : variant->label;
}

std::string place_of(const SessionView& view, const PinnedPoint& point) {
  std::string words;
  const auto add = [&words](const std::string& text) {
    words += (words.empty() ? "" : ", ") + text;
  };
  if (point.scene != view.scene().name) {
    add(point.scene + " at " + point.key);
  } else {
    const Scene& scene = view.scene();
    const Configuration here = for_variant(scene.axes, view.selection.axes, point.variant),
                        there = for_variant(scene.axes, point.axes, point.variant);
    for (const Axis& axis : scene.axes) {
      if (!there.has(axis.name) || !applies(axis, there)) continue;
      const std::string value = to_text(there.at(axis.name));
      if (!here.has(axis.name) || to_text(here.at(axis.name)) != value)
        add(axis.name + "=" + value);
    }
  }
  if (point.device != view.device()) {
    std::string device = point.device;
    for (const DeviceName& known : view.session().devices()) {
      if (known.id() == point.device) device = to_text(known);
    }
    add("on " + (device.empty() ? "no device" : device));
  }
  return words.empty() ? "here" : words;
}

}  // namespace warpscope
