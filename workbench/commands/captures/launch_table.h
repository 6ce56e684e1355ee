// workbench/commands/captures/launch_table.h: the kernels that a program launched, as a table.
#pragma once

#include "workbench/client/captures/seen_launches.h"

namespace warpscope {

// A table on standard output, or JSON.
void print_launches(const SeenLaunches& seen);
void print_launches_json(const SeenLaunches& seen);
// The table's lines; numbered from 1.
std::string launches_text(const SeenLaunches& seen, bool numbered = false);

}  // namespace warpscope
