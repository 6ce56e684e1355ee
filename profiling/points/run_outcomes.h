// profiling/points/run_outcomes.h: the curves and pictures that a scene makes of what a run left.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "profiling/points/outcome_messages.h"
#include "scenes/base/scene.h"

namespace warpscope {

// The bytes of a buffer after a run. error: usage (no such buffer here), fault.
using BufferReader = std::function<Result<std::vector<std::byte>>(const std::string& buffer)>;

inline constexpr int kMostPictureSide = 8192;  // pixels; a session takes no larger picture

struct RunOutcomes {
  std::vector<Series> series;
  std::vector<Picture> pictures;
  std::vector<std::string> missing;  // a sentence for each that could not be made
};

// Outcomes of a run whose output was correct: the last checked one, which began with fresh inputs
// and states. A curve's x counts from 1; values that are not a number leave a gap. A variant
// without the buffer has no such curve or picture, without a word.
RunOutcomes outcomes_of(const Scene& scene, const Workload& workload,
                        const Measurement& measurement, const BufferReader& read);

}  // namespace warpscope
