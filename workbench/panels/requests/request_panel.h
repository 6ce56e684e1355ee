// workbench/panels/requests/request_panel.h: what Coalescing and Banks share: one request, a line's
// requests, a warp's or the grid, and the table below them.
#pragma once

#include <functional>

#include "workbench/panels/diagrams/diagram.h"

namespace warpscope {

// Draws one request with its caption and legend. `table`: the height that stays free below them.
using DrawRequest =
    std::function<void(const Diagram& diagram, const WarpRequest& request, float table)>;

// The panel of one family of requests, or A's and B's requests if two points are pinned.
void draw_requests_panel(const PanelContext& context, Selection& selection, RequestFamily family,
                         RequestsPanel& state, const DrawRequest& draw_one);

}  // namespace warpscope
