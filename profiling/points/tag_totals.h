// profiling/points/tag_totals.h: what the steps with one tag cost together: a layer, a phase.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiling/points/measurement.h"

namespace warpscope {

// The run steps of a measurement with one value of a tag.
struct TagTotal {
  std::string value;  // "Conv1"; empty: steps without the tag
  int steps = 0;
  // The sum of the steps, each timed alone: gaps between them are in no step, so that the sum may
  // be less or, where caches help, more than the run.
  std::optional<double> time_ns;
  std::string reason;  // why there is no time
  // Counts and what the work model says are sums; a ratio is the mean that step_means.h names. One
  // without a figure says why.
  std::vector<MetricValue> metrics;
};

// The total of these steps; `value` is empty.
TagTotal total_of(const std::vector<StepRecord>& steps);

// The tags that run steps have: "layer", "phase".
std::vector<std::string> tags_of(const Measurement& measurement);

// A total for each value, in the order of the first step that has it.
std::vector<TagTotal> totals_by_tag(const Measurement& measurement, const std::string& tag);

}  // namespace warpscope
