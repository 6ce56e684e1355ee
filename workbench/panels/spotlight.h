// workbench/panels/spotlight.h: what a lesson points at, and where a frame drew it.
#pragma once

#include <string>
#include <vector>

#include "workbench/panels/panels.h"

//   const int lit = lit_line(context, lines);          // scrolls to it when it is newly lit
//   for (int i = …) { if (i == lit) light_row(context); … }

namespace warpscope {

// The first of these lines that has the words of the spotlight; −1: it falls on none. Scrolls the
// window at hand, whose rows begin at its top and are `row` pixels high, to a line that is newly
// lit.
int lit_line(const PanelContext& context, const std::vector<std::string>& lines, float row);
// Whether the spotlight falls on the row of this metric.
bool is_lit(const PanelContext& context, const std::string& metric);
// Brings row `index` of a table or text whose rows are `row` pixels high, below a header that
// stays, to the window's middle when the spotlight has just come to it.
void scroll_to_lit(const PanelContext& context, int index, float row, float header = 0);
// Call this after an axis whose row begins at `top`. If the spotlight is on this axis, its box is
// the row, and the first time the panel scrolls to it.
void light_axis(const PanelContext& context, const std::string& axis, float top);
// What the spotlight falls on is the row that begins at the cursor, as wide as the window.
void light_row(const PanelContext& context);

}  // namespace warpscope
