// workbench/panels/pin_strip.h: what A and B are, in a line each, and the menu that pins them.
#pragma once

#include "workbench/panels/panels.h"

namespace warpscope {

// A line for each pinned point: its letter, marker, name and where it is, and what unpins it; with
// both, what swaps them. Nothing where none is pinned.
void draw_pin_strip(const PanelContext& context, Selection& selection);

// Items of an open menu: pin the variant at the selection, or elsewhere, as A or as B.
void draw_pin_items(const PanelContext& context, Selection& selection, const std::string& variant,
                    const Configuration& axes);

// Below a plot: a right click (`asked`) on a point opens a menu that pins it.
void draw_pin_menu(const PanelContext& context, Selection& selection, bool asked,
                   const Measurement* point, PinMenu& menu);

}  // namespace warpscope
