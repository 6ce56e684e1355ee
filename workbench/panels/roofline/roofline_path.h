// workbench/panels/roofline/roofline_path.h: what one variant gained over another, as arrows on a
// roofline.
#pragma once

#include <vector>

#include "workbench/panels/roofline/roofline_labels.h"
#include "workbench/panels/roofline/roofline_standings.h"

namespace warpscope {

// From one variant to another at L2, else at their first level: a dashed arrow with the gain.
void draw_gain(const PlotArea& area, const Style& style, const VariantStanding& from,
               const VariantStanding& to, std::vector<LineLabel>& labels);

// The journal as a path: an arrow with the gain from each kept iteration to the next, a broken stub
// towards those that were reverted. The person's own journal where it has one, else that of the
// article. False: no two iterations have places on the plot.
bool draw_journal_path(const PlotArea& area, const PanelContext& context,
                       const std::vector<VariantStanding>& all, std::vector<LineLabel>& labels);

}  // namespace warpscope
