// workbench/workspace/selection/pins.cpp: two points that are kept in view while the selection
// moves on: A and B.
#include "workbench/workspace/selection/pins.h"

#include <utility>

#include "profiling/points/point.h"

namespace warpscope {

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

}  // namespace warpscope
