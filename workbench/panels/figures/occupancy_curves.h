// workbench/panels/figures/occupancy_curves.h: occupancy over block size, registers and shared
// memory, with the launch as it is marked.
#pragma once

#include <optional>

#include "profiling/overview/occupancy_change.h"
#include "workbench/drawing/style.h"

namespace warpscope {

// How high the curves are drawn: as high as `room` allows, within what can be read.
float curves_height(const Style& style, float room);

// Three charts beside each other. `achieved`: the occupancy that was counted, as a ratio.
void draw_occupancy_curves(const Style& style, const KernelResources& resources,
                           const Launch& launch, const DeviceLimits& device,
                           std::optional<double> achieved, float height);

}  // namespace warpscope
