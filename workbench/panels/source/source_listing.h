// workbench/panels/source/source_listing.h: PTX and SASS beside a kernel's text.
#pragma once

#include "profiling/access/line_counters.h"
#include "profiling/agreement/line_comparison.h"
#include "workbench/panels/panels.h"
#include "workbench/panels/source/listing_cells.h"

namespace warpscope {

// Whose machine code is shown: the device's at hand, else the usual one's.
int architecture_of(const SessionView& view);

// The listing of a step at the selection, of today's text; null: there is none yet. With `wanted`,
// one is asked for where there is none; with `machine_code` it has that too.
const Listing* listing_here(const PanelContext& context, Selection& selection,
                            const StepRecord& step, bool wanted, bool machine_code,
                            SourcePanel& state);

// Why a listing that was asked for is not there, or what is on its way; with a button where it was
// cancelled. `asked`: what a click on that forgets.
void draw_awaited(const PanelContext& context, const std::string& variant,
                  LastKey<SourcePanel::Asked>& asked);

// Makes rows and figures anew where the listing, the trace, the counters or the figure `heat` are
// other ones. `heat`: null: none is chosen.
void load_columns(const PanelContext& context, const Selection& selection, const Listing& listing,
                  const LineCounters* counters, const LineFigureRow* heat, SourcePanel& state);

// The rows of PTX or machine code with their figures. What belongs to the chosen line or
// instruction is lit, and a click on a row chooses it.
void draw_listing(const PanelContext& context, Selection& selection, const Listing* listing,
                  SourceColumn which, const ListingColumns& columns, SourcePanel& state);

// Chooses a row, and the line and the PTX that it comes from; all columns come to it.
void choose_row(SourcePanel& state, ListedColumn& column, std::size_t row);
// Forgets that, for a line that was chosen.
void forget_rows(SourcePanel& state);

}  // namespace warpscope
