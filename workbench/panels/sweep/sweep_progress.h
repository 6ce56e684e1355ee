// workbench/panels/sweep/sweep_progress.h: a sweep of a plan that writes the session that is open.
#pragma once

#include "workbench/panels/panels.h"

namespace warpscope {

// How far it is, a line for each device, and the command that goes on with one that ended. Draws
// nothing if the open session has no such sweep.
void draw_planned_sweep(const PanelContext& context);

}  // namespace warpscope
