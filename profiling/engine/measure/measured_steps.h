// profiling/engine/measure/measured_steps.h: where the counters of a run's ranges stand in its
// measurement.
#pragma once

#include <string>
#include <vector>

#include "profiling/engine/measure/counters.h"
#include "profiling/points/measurement.h"

namespace warpscope {

// Null: no step has this name.
StepRecord* record_named(Measurement& m, const std::string& name);

// Each range's counters into the record of the step of its name.
void put_step_counters(const std::vector<RangeCounters>& ranges, Measurement& m);

// Sums over the ranges of a run where a sum means something; a single range keeps its ratios.
void add_run_counters(const std::vector<RangeCounters>& ranges, Measurement& m);

}  // namespace warpscope
