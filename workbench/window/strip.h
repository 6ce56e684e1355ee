// workbench/window/strip.h: a lesson in the window: the strip with its words, and its spotlight.
#pragma once

#include "workbench/drawing/box.h"
#include "workbench/window/frame.h"

namespace warpscope {

// Room for the longest step of the lesson, so that nothing moves from step to step; what is longer
// still is scrolled. 0: no lesson plays. Called in a window, for the width that it has.
float strip_height(const Style& style, FrameState& state);
// Title, step, words, and the buttons that step and leave.
void draw_strip(const Box& box, const Style& style, FrameState& state);
// Dims the area but for what a lesson points at, which gets a frame.
void draw_spotlight(const Box& area, const Style& style, FrameState& state);

}  // namespace warpscope
