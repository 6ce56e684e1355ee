// profiling/export/step_tables.h: what a report says of the layers of a run.
#pragma once

#include <span>
#include <vector>

#include "profiling/export/report_tables.h"

namespace warpscope {

// A table for each correct point whose steps belong to several layers: one row per layer and phase.
// `lent`: see roof_join.h.
std::vector<ReportTable> step_tables(const Session& session, std::span<const RoofSet> lent = {});

}  // namespace warpscope
