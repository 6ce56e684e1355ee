// workbench/window/maximise.h: one panel in the place of all, and the spotlight of a lesson.
#pragma once

#include "workbench/drawing/tabs.h"
#include "workbench/window/frame.h"

namespace warpscope {

// Of a maximised panel back to all; else the panel under the pointer, or that in the centre, takes
// the place of all.
void toggle_maximised(FrameState& state);
// Behind a strip of tabs: the same where one of them was clicked twice, and the button that brings
// back all. `large` is the maximised panel among them; empty: none is.
void maximise_by_click(const Tab* twice, const std::string& large, FrameState& state);
// Leaves of the regions this one, in the place of all.
void give_all(Region region, Layout& layout);
// The panel in the place of all; null: all have theirs. A tab that is wanted elsewhere takes its
// place.
const PanelRow* maximised_panel(FrameState& state);
// Dims the area but for what a lesson points at, which gets a frame.
void draw_spotlight(const Box& area, const Style& style, FrameState& state);

}  // namespace warpscope
