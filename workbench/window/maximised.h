// workbench/window/maximised.h: one panel in the place of all.
#pragma once

#include <string>

#include "workbench/docking/layout.h"
#include "workbench/docking/tabs.h"
#include "workbench/panels/panels.h"

namespace warpscope {

struct FrameState;

// Maximises the panel under the pointer, or the centre's front panel if the pointer is over none.
// If a panel is maximised already, shows all panels again.
void toggle_maximised(FrameState& state);
// Call after a strip of tabs: does the same for a tab that was double-clicked, and draws the button
// that shows all panels again. `large`: the maximised panel among them; empty: none is.
void maximise_by_click(const Tab* twice, const std::string& large, FrameState& state);
// The maximised panel; null: all panels are shown. A tab that is wanted elsewhere takes its place.
const PanelRow* maximised_panel(FrameState& state);

}  // namespace warpscope
