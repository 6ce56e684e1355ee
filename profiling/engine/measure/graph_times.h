// profiling/engine/measure/graph_times.h: times of a graph's steps from records of its nodes, and
// whether a stream runs the same.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiling/points/timeline.h"
#include "scenes/host/result.h"

// A graph captured from one stream is a chain: its nodes run in the order of the steps, so that the
// n-th record of a replay is the n-th node.

namespace warpscope {

// The median time of each step over `replays` replays: the sum of its nodes' times, without the
// gaps between them. nodes[s] is how many nodes step s has. error: environment, when there are not
// as many records as nodes ran.
Result<std::vector<double>> step_times(std::vector<TimelineActivity> replayed,
                                       const std::vector<int>& nodes, int replays);

// How the kernels of a replay differ from those of the same steps on a stream: their number, a name
// or a launch, in the order in which they ran. Nothing: they are the same.
std::optional<std::string> launches_differ(std::vector<TimelineActivity> on_stream,
                                           std::vector<TimelineActivity> replayed);

}  // namespace warpscope
