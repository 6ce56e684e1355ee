// profiling/engine/measure/variant_counters.h: what a bound variant's run counts: each step, and
// each line.
#pragma once

#include <string>
#include <vector>

#include "profiling/engine/measure/measuring_tools.h"
#include "profiling/engine/run/job_channel.h"
#include "profiling/engine/run/stage.h"

namespace warpscope {

// Each range's counters into the record of the step of its name.
void put_step_counters(const std::vector<RangeCounters>& ranges, Measurement& m);

// Sums over the ranges of a run where a sum means something; a single range keeps its ratios.
void add_run_counters(const std::vector<RangeCounters>& ranges, Measurement& m);

class VariantCounters {
 public:
  VariantCounters(MeasuringTools& tools, Stage& stage) : tools_(tools), stage_(stage) {}
  Result<void> count(const Job& job, const MeasureJob& asked, const JobChannel& channel,
                     Stage::Bound& bound, Measurement& m);
  // Figures by source line of the run's kernels into their step records.
  Result<void> count_lines(const Job& job, const MeasureJob& asked, const JobChannel& channel,
                           Stage::Bound& bound, Measurement& m);

 private:
  // Counters of a graph in one range, then of its steps on a stream.
  Result<void> count_graph(const JobChannel& channel, const Job& job, const MeasureJob& asked,
                           const CounterPlan& plan, const Stage::Bound& bound, Measurement& m);
  // Counters of each step on the device in a range of its own, in one run a pass.
  Result<std::vector<RangeCounters>> count_steps(const JobChannel& channel, const Job& job,
                                                 const MeasureJob& asked, const CounterPlan& plan,
                                                 const Stage::Bound& bound,
                                                 const std::string& announced);
  Result<void> before_pass(const MeasureJob& asked, const Stage::Bound& bound);

  MeasuringTools& tools_;
  Stage& stage_;
};

}  // namespace warpscope
