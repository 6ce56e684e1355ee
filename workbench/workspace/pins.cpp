// workbench/workspace/pins.cpp: two points that are kept in view while the selection moves on: A
// and B.
#include "workbench/workspace/pins.h"

#include <utility>

#include "profiling/overview/costly_trace.h"
#include "profiling/points/point.h"
#include "workbench/workspace/workspace.h"

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

namespace {

void pin(std::optional<PinnedPoint>& side, std::optional<PinnedPoint>& other, PinnedPoint point) {
  if (other && id_of(*other) == id_of(point)) other.reset();
  side = std::move(point);
}

}  // namespace

void pin_as_a(Pins& pins, PinnedPoint point) { pin(pins.a, pins.b, std::move(point)); }
void pin_as_b(Pins& pins, PinnedPoint point) { pin(pins.b, pins.a, std::move(point)); }

PointId id_of(const PinnedPoint& point) {
  return {point.scene, point.variant, point.key, "", point.device};
}

bool is_pinned(const Pins& pins, const std::string& scene, const std::string& variant,
               const std::string& key) {
  const auto is = [&](const std::optional<PinnedPoint>& pin) {
    return pin && pin->scene == scene && pin->variant == variant && pin->key == key;
  };
  return is(pins.a) || is(pins.b);
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

void Workspace::keep_pins() {
  for (const auto& [side, name] :
       {std::pair(&selection.pins.a, "A"), std::pair(&selection.pins.b, "B")}) {
    if (!*side || point_of(*this, **side) != nullptr) continue;
    notify(std::string(name) + " is unpinned: " + recorded_name_ + " has no point of " +
           (*side)->scene + "/" + (*side)->variant + " at " + (*side)->key);
    side->reset();
  }
}

}  // namespace warpscope
