// workbench/panels/figures/compare_sources.h: the texts of two pinned kernels, line by line.
#pragma once

#include "workbench/panels/panels.h"

namespace warpscope {

// What differs, with the line numbers of both; a click on a line shows it in Source.
void draw_compared_sources(const PanelContext& context, Selection& selection, const PinnedPoint& a,
                           const PinnedPoint& b, ComparePanel& state);

}  // namespace warpscope
