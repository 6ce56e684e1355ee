// workbench/panels/requests/request_pair.h: a request of A and its counterpart of B, beside each
// other.
#pragma once

#include "workbench/panels/diagrams/diagram.h"

namespace warpscope {

// The panel while shows_pair(selection): side by side where lanes are legible so, else one above
// the other. A half without a trace says why and has a button that asks for it.
void draw_request_pair(const PanelContext& context, Selection& selection, const char* panel,
                       RequestFamily family);

}  // namespace warpscope
