// workbench/window/top_bar.h: scene, device, live, run, counters, sweep, export and theme in one
// line.
#pragma once

#include "workbench/window/frame.h"

namespace warpscope {

void draw_top_bar(Workspace& workspace, const Style& style, FrameState& state);

// The axis that a sweep takes: the one moved last where it can be swept here, else Sweep's own.
// With a second axis it is Sweep's own, too.
std::string axis_to_sweep(const Workspace& workspace);
// Brings Sweep to the front over that axis, and measures its points where there is a device.
void start_sweep(Workspace& workspace, FrameState& state);
// Turns to the scene after the present one in the catalogue, and round.
void next_scene(Workspace& workspace);
// The counter set after the present one, "none" among them, and round.
void next_counters(Workspace& workspace);
// Adds the counters by source line and SASS instruction to those that are collected, or takes them
// away.
void turn_line_counters(Workspace& workspace);

}  // namespace warpscope
