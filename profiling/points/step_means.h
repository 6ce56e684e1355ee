// profiling/points/step_means.h: what the counters of several steps say of the whole run.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/points/measurement.h"

// A run of one step has that step's counters. Over several steps a count is a sum, which the engine
// makes. A ratio is a mean, weighted by its denominator: sectors per request by the requests,
// occupancy by the time. Every sentence with a mean says that it is one.

namespace warpscope {

struct StepMean {
  std::string_view id;
  std::string_view weight;       // the counter that it is weighted by; "cycles.sm": the time
  std::string_view weighted_by;  // "their requests"
};
// One for every counter in the table that is not a sum.
std::span<const StepMean> step_means();

// Sets the means that the run of several steps has no value for yet. Origin: derived.
void add_step_means(Measurement& measurement);

// "mean of 8 steps, weighted by their requests"; empty if the figure is not such a mean.
std::string mean_in_words(const Measurement& measurement, std::string_view id);

// The counters of a figure, to be collected together: a counter itself and what its mean over
// steps is weighted by, and what a formula is made of ("l1.hit_ratio"). Empty for figures that no
// counter makes.
std::vector<std::string> counters_behind(std::string_view id);

}  // namespace warpscope
