// profiling/engine/measure/graph_times.h: times of a graph's steps from records of its nodes, and
// whether a stream runs the same.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiling/points/timeline.h"
#include "scenes/host/result.h"

// A graph captured from one stream is a chain: its nodes run in the order of the steps, so that the
// n-th record of a replay is the n-th node. With a second branch they do not; then a replay's
// records are brought to the order in which a stream launched the same.

namespace warpscope {

void sort_by_start(std::vector<TimelineActivity>& activities);
// Replays of a graph with branches, each of as many records, with the records of each in the order
// in which a stream ran the like of them: of one kind, one name and one shape; those alike in the
// order of their beginning. What a stream ran nothing like comes last.
std::vector<TimelineActivity> in_order_of(std::vector<TimelineActivity> on_stream,
                                          std::vector<TimelineActivity> replayed, int replays);

// The median time of each step over `replays` replays: the sum of its nodes' times, without the
// gaps between them. The records of each replay are in the order of the steps, nodes[s] is how many
// nodes step s has. error: environment, when there are not as many records as nodes ran.
Result<std::vector<double>> step_times(const std::vector<TimelineActivity>& replayed,
                                       const std::vector<int>& nodes, int replays);

// How the kernels of a replay differ from those of the same steps on a stream: their number, a name
// or a launch, in the order given. No value: they are the same.
std::optional<std::string> launches_differ(std::vector<TimelineActivity> on_stream,
                                           std::vector<TimelineActivity> replayed);

}  // namespace warpscope
