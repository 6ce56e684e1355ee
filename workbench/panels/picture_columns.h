// workbench/panels/picture_columns.h: which columns of a table a narrow picture leaves out.
#pragma once

#include <span>
#include <vector>

namespace warpscope {

// In a picture nothing scrolls: columns are left out, in the order of `first_to_go`, until the
// others have room. A line above the table says how many. Empty: all have room, or it is a window.
std::vector<bool> columns_left_out(std::span<const float> widths, std::span<const int> first_to_go);

}  // namespace warpscope
