// workbench/panels/sweep/sweep_progress.h: sweeps of plans: how far they are, and what begins,
// cancels and resumes them.
#pragma once

#include "workbench/panels/panels.h"

namespace warpscope {

// The button that opens the fields of a new sweep on several devices, or closes them.
void draw_plan_button(const PanelContext& context, PlannedSelection& planned);
// The fields, where they are open.
void draw_plan_fields(const PanelContext& context, Selection& selection);
// How far each sweep of an open session or of this window is, with a line per device, and buttons
// to cancel or resume it. Draws nothing if there is no such sweep.
void draw_planned_sweeps(const PanelContext& context);

}  // namespace warpscope
