// workbench/panels/requests/request_multiples.h: all requests of a source line, as small pictures.
#pragma once

#include <vector>

#include "workbench/panels/diagrams/diagram.h"

namespace warpscope {

// The button that turns from one request to all of its line, and back.
void draw_multiples_switch(const Style& style, bool& shown);

// The kept requests of the chosen one's source line to one memory, of all warps of the block, those
// with most waste first; a click chooses one and shows it alone. `costs`: of all requests.
void draw_request_multiples(const PanelContext& context, const Diagram& diagram,
                            Selection& selection, RequestFamily family,
                            const std::vector<RequestCost>& costs, LineMultiples& state,
                            float height);

}  // namespace warpscope
