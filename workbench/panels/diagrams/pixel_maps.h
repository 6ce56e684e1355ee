// workbench/panels/diagrams/pixel_maps.h: the pictures that an array holds, with what a warp reads
// of them.
#pragma once

#include <string>

#include "profiling/overview/pixel_view.h"
#include "workbench/panels/panels.h"

namespace warpscope {

// The chosen warp's pixels in its lanes' colours, the chosen request framed, places as points; in
// the width that is left, `height` at most. Says why where there is no trace. A click on a pixel
// chooses the request that reads it.
void draw_pixel_maps(const PanelContext& context, Selection& selection, PixelMapsView& state,
                     float height);

}  // namespace warpscope
