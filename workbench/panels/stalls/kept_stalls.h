// workbench/panels/stalls/kept_stalls.h: why the warps of one point wait, worked out once.
#pragma once

#include <optional>
#include <string>

#include "profiling/stalls/stall_report.h"

namespace warpscope {

struct KeptStalls {
  std::string of;  // the trace and the point
  std::optional<StallReport> report;
  std::string why, remedy;  // where there is none
};

}  // namespace warpscope
