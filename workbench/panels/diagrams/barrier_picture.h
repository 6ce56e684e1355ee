// workbench/panels/diagrams/barrier_picture.h: arrivals and waits at barriers, in program order.
#pragma once

#include "profiling/access/barrier_timeline.h"
#include "profiling/access/warp_roles.h"
#include "workbench/panels/panels.h"

namespace warpscope {

// One row per warp, with its role after its name. Marks are in columns of program order, as the
// caption says. Takes `height` including legend and caption, and scrolls if that is not enough.
void draw_barrier_picture(const PanelContext& context, const Trace& trace, const BlockRoles& roles,
                          const BarrierTimeline& timeline, Selection& selection, float height);

}  // namespace warpscope
