// workbench/panels/source/source_columns.h: which columns of Source are shown, and the way to the
// hottest places in them.
#pragma once

#include <vector>

#include "workbench/panels/panels.h"
#include "workbench/panels/source/source_lines.h"

namespace warpscope {

// The open columns that have room, from left to right.
std::vector<SourceColumn> shown_columns(const Style& style, const SourcePanel& state);
bool is_shown(const std::vector<SourceColumn>& columns, SourceColumn column);

// A button per column, which opens it or folds it away, and those of what stands in their place.
void draw_view_choice(const Style& style, SourcePanel& state);

// The buttons that lead to the hottest instruction, or line where none has figures, and to the next
// one; their keys do the same.
void draw_hot_buttons(const SourceColumns& columns, SourcePanel& state);

}  // namespace warpscope
