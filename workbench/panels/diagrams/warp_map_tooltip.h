// workbench/panels/diagrams/warp_map_tooltip.h: what the pointer is on in the warp map.
#pragma once

#include "workbench/panels/diagrams/warp_map_tiles.h"

namespace warpscope {

// Says of the element below the pointer who touched it: the traced block, or another one where
// `writers` knows it. A click chooses the request, or asks for that block's trace.
void explain_pointed(const MapPainter& paint, const Box& area, const TracedBuffer& buffer,
                     const WriterMap* writers, const WarpMapPanel& state,
                     const PanelContext& context, Selection& selection);

}  // namespace warpscope
