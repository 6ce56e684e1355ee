// workbench/panels/training_strip.h: above the curves: a training is started, paused, stopped and
// resumed.
#pragma once

#include "workbench/panels/panels.h"

namespace warpscope {

// Two rows, always of one height: what stands below them stays where it is. Nothing where the scene
// learns nothing.
void draw_training_strip(const PanelContext& context, Selection& selection);

}  // namespace warpscope
