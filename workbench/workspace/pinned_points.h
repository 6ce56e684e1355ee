// workbench/workspace/pinned_points.h: what is pinned, and what the session has of it.
#pragma once

#include <string>

#include "workbench/workspace/session_view.h"

namespace warpscope {

// The variant at the selected configuration, or at another one, on the device that is shown.
PinnedPoint pin_here(const SessionView& view, const std::string& variant);
PinnedPoint pin_at(const SessionView& view, const std::string& variant, const Configuration& axes);

// What the session has of it; null: nothing.
const Measurement* point_of(const SessionView& view, const PinnedPoint& point);
const Trace* trace_of(const SessionView& view, const PinnedPoint& point);

// "float4 columns"; its name where the catalogue has none.
std::string label_of(const SessionView& view, const PinnedPoint& point);
// "n=256, p=0.05", what is other than here; "here" where nothing is; with its scene and device
// where those are other ones.
std::string place_of(const SessionView& view, const PinnedPoint& point);

}  // namespace warpscope
