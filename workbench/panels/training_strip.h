// workbench/panels/training_strip.h: above the curves: a training is started, paused, stopped and
// resumed.
#pragma once

#include "workbench/panels/panels.h"

namespace warpscope {

// Two rows, always of one height, so that the panels below them do not move. Empty if the scene has
// no training.
void draw_training_strip(const PanelContext& context, Selection& selection);

}  // namespace warpscope
