// workbench/workspace/pins.h: two points that are kept in view while the selection moves on: A and
// B.
#pragma once

#include <optional>
#include <string>

#include "scenes/base/axis.h"

namespace warpscope {

class Workspace;
struct Measurement;
struct Trace;
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

// The variant at the selected configuration, or at another one, on the device that is shown.
PinnedPoint pin_here(const Workspace& workspace, const std::string& variant);
PinnedPoint pin_at(const Workspace& workspace, const std::string& variant,
                   const Configuration& axes);

// Pins it as A or as B; pinned as the other one already it changes sides.
void pin_as_a(Pins& pins, PinnedPoint point);
void pin_as_b(Pins& pins, PinnedPoint point);

PointId id_of(const PinnedPoint& point);
// Whether A or B is of this scene, variant and key, on whatever device.
bool is_pinned(const Pins& pins, const std::string& scene, const std::string& variant,
               const std::string& key);
// What the session has of it; null: nothing.
const Measurement* point_of(const Workspace& workspace, const PinnedPoint& point);
const Trace* trace_of(const Workspace& workspace, const PinnedPoint& point);

// "float4 columns"; its name where the catalogue has none.
std::string label_of(const Workspace& workspace, const PinnedPoint& point);
// "n=256, p=0.05", what is other than here; "here" where nothing is; with its scene and device
// where those are other ones.
std::string place_of(const Workspace& workspace, const PinnedPoint& point);

}  // namespace warpscope
