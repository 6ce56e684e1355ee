// profiling/claims/claim_points.h: what a claim gathers over the points of a session.
#pragma once

#include <string>
#include <vector>

#include "profiling/claims/claim.h"
#include "profiling/claims/claim_value.h"

namespace warpscope {

// The configurations of the problem, each once and in the order first recorded, at which the
// context's device measured a variant that the expression names, with a correct output, and which
// have the values that `node.places` asks for. Axes of variants stand at their defaults.
std::vector<Configuration> recorded_configurations(const ClaimNode& node,
                                                   const ClaimContext& context);

struct PlacedValue {
  Configuration axes;
  ClaimValue value;
};
// `function`: mean, min, max, count, at_min, at_max or points. `found` is not empty. The mean is
// the arithmetic one. What is gathered is a figure without samples: it is compared by its number.
OrMissing<ClaimValue> gather(const std::string& function, const Scene& scene,
                             const std::vector<PlacedValue>& found);

// "15 points: leds=64, 256, 512; frames=1, 2, 4": the axes of the problem that differ, with all
// their values, and those that stand elsewhere than by default.
std::string points_in_words(const Scene& scene, const std::vector<PlacedValue>& found);

}  // namespace warpscope
