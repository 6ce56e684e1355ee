// workbench/panels/roofline/roofline_words.h: what the roofline says in words, above, below and on
// hover.
#pragma once

#include <string>
#include <vector>

#include "workbench/panels/roofline/roofline_standings.h"

namespace warpscope {

// The line above the plot: which roof binds, how much of it is used, and how fresh that is.
void draw_roofline_heading(const PanelContext& context, Selection& selection,
                           const VariantStanding* focus, float room);
// Points above their roofs are errors until explained: each says why it cannot be.
void draw_impossible_points(const PanelContext& context, const std::vector<VariantStanding>& all);
// The line below the plot: whose roofs those are, and what the marks mean that are on it; of bytes
// a second by level, what bars mean.
std::string roofline_footer(const PanelContext& context, const RoofJoin& join,
                            const std::vector<VariantStanding>& all, bool rates);
void draw_roofline_tooltip(const VariantStanding& s, const RooflinePoint& point);

}  // namespace warpscope
