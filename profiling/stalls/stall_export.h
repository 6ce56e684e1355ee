// profiling/stalls/stall_export.h: why warps wait, as text, CSV and JSON.
#pragma once

#include <string>
#include <vector>

#include "profiling/stalls/stall_report.h"

namespace warpscope {

// For a terminal: the basis, the findings with what to do, the lines and the reasons.
std::string stall_text(const StallReport& report, const Trace& trace);
// One header for all; one row per instruction and reason that has samples, with its cause.
struct StallCsvSource {
  std::string scene, variant, key;
  const Trace& trace;
  const StallReport& report;
};
std::string stall_csv(const std::vector<StallCsvSource>& kernels);
// {"type":"stalls","kernel":…,"findings":[…]}: one line.
std::string stall_json(const StallReport& report, const Trace& trace);

}  // namespace warpscope
