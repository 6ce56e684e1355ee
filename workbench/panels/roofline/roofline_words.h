// workbench/panels/roofline/roofline_words.h: what the roofline says in words, above, below and on
// hover.
#pragma once

#include <string>
#include <vector>

#include "workbench/panels/roofline/roofline_standings.h"

namespace warpscope {

// The line above the plot: which roof limits the variant, how much of it is used, and how fresh
// that is.
void draw_roofline_heading(const PanelContext& context, Selection& selection,
                           const VariantStanding* focus, float room);
// Points above their roofs are errors until explained: each says why it is impossible.
void draw_impossible_points(const PanelContext& context, const std::vector<VariantStanding>& all);
// The line below the plot: whose roofs these are, and what the marks on it mean; for bytes per
// second by level, what the bars mean.
std::string roofline_footer(const PanelContext& context, const RoofJoin& join,
                            const std::vector<VariantStanding>& all, const VariantStanding* focus,
                            bool rates);
void draw_roofline_tooltip(const VariantStanding& s, const RooflinePoint& point);

}  // namespace warpscope
