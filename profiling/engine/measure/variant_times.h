// profiling/engine/measure/variant_times.h: how long a bound variant's run takes, and each of its
// steps.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiling/engine/measure/measuring_tools.h"
#include "profiling/engine/run/job_channel.h"
#include "profiling/engine/run/stage.h"

namespace warpscope {

// Null: no step has this name.
StepRecord* record_named(Measurement& m, const std::string& name);

// What activity records say of a graph.
struct GraphRecords {
  std::vector<double> step_ns;         // of each run step
  std::optional<std::string> differs;  // how its launches differ from those of the steps
};
// error: environment (no CUPTI, records that do not fit), what the steps report.
Result<GraphRecords> look_at_graph(MeasuringTools& tools, Stage& stage, const Stage::Bound& bound);

class VariantTimes {
 public:
  VariantTimes(MeasuringTools& tools, Stage& stage) : tools_(tools), stage_(stage) {}
  Result<void> time(const Job& job, const MeasureJob& asked, const JobChannel& channel,
                    Stage::Bound& bound, Measurement& m);

 private:
  // A run with steps on the host: by the host's clock, one run per sample.
  Result<void> time_on_host(const Job& job, const JobChannel& channel, Stage::Bound& bound,
                            Measurement& m);
  // Each step alone, or of a graph by its nodes.
  Result<void> time_steps(const JobChannel& channel, Stage::Bound& bound, Measurement& m);
  Result<void> time_steps_in_order(const JobChannel& channel, Stage::Bound& bound,
                                   const StoppingLimits& limits, Measurement& m);

  MeasuringTools& tools_;
  Stage& stage_;
};

}  // namespace warpscope
