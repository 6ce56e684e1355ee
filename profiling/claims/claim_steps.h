// profiling/claims/claim_steps.h: figures of some steps of a run, as claims name them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "profiling/claims/claim_value.h"
#include "profiling/points/measurement.h"

namespace warpscope {

// What follows a variant where a figure is of some run steps: their tags, the function of
// their kernel, or all of them, and the figure.
struct StepPath {
  std::map<std::string, std::string> tags;  // layer, phase
  std::string kernel;                       // empty: any, and no kernel too
  std::string id;                           // "time", "count", "shared_bytes", or a metric
};
// Reads "layer.Conv1.phase.wgrad.time". No value if the path is of the whole run.
std::optional<StepPath> step_path(std::string_view path);

// The figure of those steps together: times and counts are sums, a ratio is the mean that
// step_means.h names; registers and theoretical occupancy are those of the longest of them.
// `of`: how a sentence names the point.
OrMissing<ClaimValue> figure_of_steps(const Measurement& point, const StepPath& path,
                                      const std::string& of);

// As claims have a figure of this metric: 47.5 of unit “%” is the ratio 0.475, as “50 %” is 0.5.
ClaimValue value_of_metric(double value, const std::string& id);

}  // namespace warpscope
