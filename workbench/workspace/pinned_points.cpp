// workbench/workspace/pinned_points.cpp: what is pinned, and what the session has of it.
#include "workbench/workspace/pinned_points.h"

#include "profiling/overview/costly_trace.h"

namespace warpscope {

PinnedPoint pin_at(const Workspace& workspace, const std::string& variant,
                   const Configuration& axes) {
  const Scene& scene = workspace.scene();
  return {scene.name, variant, axes, configuration_key(scene.axes, axes, variant),
          workspace.device()};
}

PinnedPoint pin_here(const Workspace& workspace, const std::string& variant) {
  return pin_at(workspace, variant, workspace.selection.axes);
}

const Measurement* point_of(const Workspace& workspace, const PinnedPoint& point) {
  return workspace.session().latest(id_of(point));
}

const Trace* trace_of(const Workspace& workspace, const PinnedPoint& point) {
  return costly_trace(workspace.session(), id_of(point));
}

std::string label_of(const Workspace& workspace, const PinnedPoint& point) {
  const Scene* scene = workspace.find_scene(point.scene);
  const Variant* variant = scene == nullptr ? nullptr : find_variant(*scene, point.variant);
  return variant == nullptr ? point.variant : variant->label;
}

std::string place_of(const Workspace& workspace, const PinnedPoint& point) {
  std::string words;
  const auto add = [&words](const std::string& text) {
    words += (words.empty() ? "" : ", ") + text;
  };
  if (point.scene != workspace.scene().name) {
    add(point.scene + " at " + point.key);
  } else {
    const Scene& scene = workspace.scene();
    const Configuration here = for_variant(scene.axes, workspace.selection.axes, point.variant),
                        there = for_variant(scene.axes, point.axes, point.variant);
    for (const Axis& axis : scene.axes) {
      if (!there.has(axis.name) || !applies(axis, there)) continue;
      const std::string value = to_text(there.at(axis.name));
      if (!here.has(axis.name) || to_text(here.at(axis.name)) != value)
        add(axis.name + "=" + value);
    }
  }
  if (point.device != workspace.device()) {
    std::string device = point.device;
    for (const DeviceName& known : workspace.session().devices()) {
      if (known.id() == point.device) device = to_text(known);
    }
    add("on " + (device.empty() ? "no device" : device));
  }
  return words.empty() ? "here" : words;
}

}  // namespace warpscope
