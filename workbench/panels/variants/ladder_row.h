// workbench/panels/variants/ladder_row.h: a row of Variants: marker, name, verdict, times and gain.
#pragma once

#include <span>

#include "workbench/drawing/table.h"
#include "workbench/panels/variants/ladder.h"

namespace warpscope {

// Inside the table, between PushID and PopID of the variant: clicks change what is selected. Where
// only markers and names have a column, verdict, time and gain stand below the name.
void draw_ladder_row(const PanelContext& context, Selection& selection, const LadderRow& row,
                     std::span<const TableColumn> columns, const TableRow& cells);

}  // namespace warpscope
