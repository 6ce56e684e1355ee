// workbench/window/maximise.h: one panel in the place of all, and the spotlight of a lesson.
#pragma once

#include "workbench/drawing/box.h"
#include "workbench/drawing/tabs.h"
#include "workbench/window/frame.h"

namespace warpscope {

// Of a maximised panel back to all; else the panel under the pointer, or that in the centre, takes
// the place of all.
void toggle_maximised(FrameState& state);
// Behind a row of tabs: a double click on one gives its panel the place of all, or takes it back; a
// maximised panel gives way to the tab that is active now, and has a button that brings back all.
void keep_maximised(const std::string& active, const Tab* twice, FrameState& state);
// That button; nothing where no panel is maximised.
void draw_way_back(FrameState& state);
// The panel in the place of all; null: all have theirs. A tab that is wanted elsewhere takes its
// place.
const PanelRow* maximised_panel(FrameState& state);
// Dims the area but for what a lesson points at, which gets a frame.
void draw_spotlight(const Box& area, const Style& style, FrameState& state);

}  // namespace warpscope
