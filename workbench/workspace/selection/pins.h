// workbench/workspace/selection/pins.h: two points that are kept in view while the selection moves
// on: A and B.
#pragma once

#include <optional>
#include <string>

#include "scenes/base/axis.h"

namespace warpscope {

struct PointId;

// A variant at a configuration on a device. It stays what it is when a slider moves or another
// scene is chosen.
struct PinnedPoint {
  std::string scene, variant;
  Configuration axes;
  std::string key;     // of the axes, as a point has it
  std::string device;  // UUID or name, as PointId has it; empty: that is not known yet
  bool operator==(const PinnedPoint&) const = default;
};

struct Pins {
  std::optional<PinnedPoint> a, b;
  bool any() const { return a || b; }
  bool both() const { return a && b; }
  bool operator==(const Pins&) const = default;
};

// Pins it as A or as B; pinned as the other one already it changes sides.
void pin_as_a(Pins& pins, PinnedPoint point);
void pin_as_b(Pins& pins, PinnedPoint point);

PointId id_of(const PinnedPoint& point);
// Whether A or B is of this scene, variant and key, on whatever device.
bool is_pinned(const Pins& pins, const std::string& scene, const std::string& variant,
               const std::string& key);

}  // namespace warpscope
