// profiling/steps/step_rows.h: the steps of a run as a table: what each costs, and what limits it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "profiling/points/measurement.h"
#include "profiling/points/roof.h"

namespace warpscope {

enum class StepGroups {
  each,  // one row per step
  tags,  // one row for all steps with the same tags: a layer in one direction
};

struct StepRow {
  std::string name;                         // of the step; of a group its tags: "Conv1 · forward"
  std::map<std::string, std::string> tags;  // that all its steps have
  int steps = 1;
  std::string how;  // "nchw_grid2d.cu", "cublas.sgemm", "copy"; of a group that of its longest …
  std::string focus;  // … and the kernel step to look at; empty: it has no kernel of ours
  std::optional<double> time_ns;  // each step alone, warm; no value: `no_time` says why
  std::string no_time;
  std::optional<double> share_ratio;  // of the times of all run steps together
  std::optional<double> flops;        // by the work model
  std::optional<double> dram_bytes;   // counted, else by the work model …
  Origin bytes_origin = Origin::measured;
  // What limits a row that has a time. No value if neither counters nor a work model say.
  std::optional<RooflineStanding> standing;
};

// Rows of the run steps, in the order in which they run. `roofs`: those of the point's device.
std::vector<StepRow> step_rows(const Measurement& point, const RoofSet& roofs, StepGroups groups);

}  // namespace warpscope
