// profiling/export/timeline_tables.h: what a report says of captured timelines.
#pragma once

#include <vector>

#include "profiling/export/report_tables.h"

namespace warpscope {

// A table a scene: how often and how long the kernels, copies and NVTX ranges of each variant ran.
std::vector<ReportTable> timeline_tables(const Session& session);

}  // namespace warpscope
