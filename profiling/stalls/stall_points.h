// profiling/stalls/stall_points.h: the samples that a session has of an emulated kernel.
#pragma once

#include "profiling/session/session.h"
#include "profiling/stalls/stall_report.h"

namespace warpscope {

// The point of the trace that has samples of its step; else any point of it; null: there is none.
const Measurement* sampled_point(const Session& session, const Trace& trace);
// The kernel's step at a point; null: the point has no such step.
const StepRecord* step_of(const Measurement* point, const Trace& trace);
// error: as stall_report; environment: the session has no samples of this point.
Result<StallReport> sampled_report(const Session& session, const Trace& trace);

}  // namespace warpscope
