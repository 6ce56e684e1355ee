// workbench/panels/axes/pin_strip.h: what A and B are, in a line each, and the menu that pins them.
#pragma once

#include "workbench/panels/panels.h"

namespace warpscope {

// A line for each pinned point: its letter, marker, name and where it is, and a button that unpins
// it; with both, a button that swaps them. Empty if none is pinned.
void draw_pin_strip(const PanelContext& context, Selection& selection);

// Where both are pinned: what lets panels that show two sets show A and B, or the focus. `shown`:
// they are shown now. Returns whether A and B were chosen.
bool draw_pair_switch(const Style& style, Selection& selection, bool shown);
// The letter, the marker and the name of a pinned point, and where it is, followed by `more`. Uses
// the width that is left, less that of the `buttons` beside it (0: it is a line of text).
void draw_pin_name(const PanelContext& context, char letter, const PinnedPoint& pin,
                   const std::string& more = {}, float buttons = 0);

// "A" or "B" where the point is pinned as that; else empty.
std::string pin_letter(const PanelContext& context, const Selection& selection,
                       const Measurement* point);

// Items of an open menu: pin the variant at the selection, or elsewhere, as A or as B.
void draw_pin_items(const PanelContext& context, Selection& selection, const std::string& variant,
                    const Configuration& axes);

// Below a plot: a right click (`asked`) on a point opens a menu that pins it.
void draw_pin_menu(const PanelContext& context, Selection& selection, bool asked,
                   const Measurement* point, PinMenu& menu);

}  // namespace warpscope
