// workbench/panels/source/source_listing.h: PTX and machine code beside a kernel's text.
#pragma once

#include "workbench/panels/panels.h"

namespace warpscope {

// The listing of a step at the selection, of today's text; null: there is none yet. Asks for one
// where `wanted`.
const Listing* listing_here(const PanelContext& context, Selection& selection,
                            const StepRecord& step, bool wanted, SourcePanel& state);

// The rows of PTX or machine code; those of the chosen line are lit, and a click on one chooses its
// line.
void draw_listing(const PanelContext& context, const Selection& selection, const Listing* listing,
                  SourcePanel& state);

}  // namespace warpscope
