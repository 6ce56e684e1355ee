// workbench/panels/diagrams/barrier_picture.h: arrivals and waits at barriers, in program order.
#pragma once

#include "profiling/access/barrier_timeline.h"
#include "profiling/access/warp_roles.h"
#include "workbench/panels/panels.h"

namespace warpscope {

// A row a warp, with its role behind its name; marks in columns of program order, which the caption
// says. Takes `height` with legend and caption, and scrolls where that is not enough.
void draw_barrier_picture(const PanelContext& context, const Trace& trace, const BlockRoles& roles,
                          const BarrierTimeline& timeline, Selection& selection, float height);

}  // namespace warpscope
