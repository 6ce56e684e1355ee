// workbench/window/maximised.h: one panel in the place of all.
#pragma once

#include <string>

#include "workbench/docking/layout.h"
#include "workbench/docking/tabs.h"
#include "workbench/panels/panels.h"

namespace warpscope {

struct FrameState;

// Maximises the panel under the pointer, or the centre's front panel where it is over none. Where a
// panel is maximised already, shows all panels again.
void toggle_maximised(FrameState& state);
// Behind a strip of tabs: the same where one of them was clicked twice, and the button that brings
// back all. `large` is the maximised panel among them; empty: none is.
void maximise_by_click(const Tab* twice, const std::string& large, FrameState& state);
// The panel in the place of all; null: all have theirs. A tab that is wanted elsewhere takes its
// place.
const PanelRow* maximised_panel(FrameState& state);

}  // namespace warpscope
