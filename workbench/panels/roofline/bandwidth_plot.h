// workbench/panels/roofline/bandwidth_plot.h: bytes per second by level against each measured roof,
// in place of a roofline if there is no arithmetic.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "workbench/panels/roofline/roofline_standings.h"

namespace warpscope {

// Whether the standings have bandwidths and none has a place on an axis of FLOP per byte.
bool is_without_flops(const std::vector<VariantStanding>& all);

// A track a level, as long as its roof: bars of those drawn full, with their rates, and the rest as
// faint marks. Measured bars are solid, of modelled ones there is an outline in dashes; one above
// its roof is outlined in red. A click on a bar or a mark puts its variant in focus.
void draw_bandwidths(const PanelContext& context, Selection& selection,
                     const std::vector<VariantStanding>& all, const std::set<std::string>& full,
                     std::optional<Level> binding, ImVec2 size);

}  // namespace warpscope
