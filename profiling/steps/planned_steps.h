// profiling/steps/planned_steps.h: what is known of a run's steps before any of them ran.
#pragma once

#include "profiling/points/measurement.h"

namespace warpscope {

// The record of a step: what it is, and what its work must cost (Step::work, origin modelled).
// Without times, resources, counters and hashes.
StepRecord planned_record(const Step& step);

// A run of the variant that nobody measured: its steps as planned, verdict unchecked.
// Preconditions: the variant applies and is available there; `workload` has the facts that its
// steps ask for.
Measurement planned_run(const Scene& scene, const Variant& variant, const Workload& workload);

}  // namespace warpscope
