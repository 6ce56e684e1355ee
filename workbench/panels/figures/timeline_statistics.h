// workbench/panels/figures/timeline_statistics.h: the table of a timeline.
#pragma once

#include "profiling/steps/timeline_statistics.h"
#include "workbench/panels/panels.h"

namespace warpscope {

// How often and how long each kernel, copy and range ran, below a bar that filters and exports.
void draw_timeline_statistics(const PanelContext& context, Selection& selection,
                              const Timeline& timeline, TableFilter& filter);

}  // namespace warpscope
