// workbench/panels/picture_columns.h: which columns of a table a narrow panel leaves out.
#pragma once

#include <span>
#include <vector>

namespace warpscope {

struct ColumnRoom {
  const char* name;
  float width;
};

// Columns are left out, in the order of `first_to_go`, until the others have room beside each
// other. A line above the table names them; in a picture it says how many. They stay in the CSV and
// in what a right click on a row copies. Empty: all have room.
std::vector<bool> columns_left_out(std::span<const ColumnRoom> columns,
                                   std::span<const int> first_to_go);

}  // namespace warpscope
