// profiling/steps/timeline_lanes.h: in which lane of a picture each activity of a timeline stands.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiling/points/timeline.h"

//   const TimelineLanes lanes = lanes_of(timeline);
//   for (std::size_t i = 0; i < timeline.activities.size(); ++i)
//     draw(timeline.activities[i], lanes.lane_of[i]);

namespace warpscope {

// How far the end of one activity and the start of the next may cross before both count as running
// at once. source: of a graph on an H200, nodes that wait for each other crossed by up to 672 ns,
// those of two branches by 1.6 µs and more.
inline constexpr double kNeighbourNs = 1000;

// Activities that ran one after another.
struct TimelineLane {
  bool copies = false;      // copies and memsets, else kernels
  bool graph = false;       // nodes of graphs, whatever streams the driver gave to their branches
  std::int64_t stream = 0;  // of what was launched on one; 0: not known
  int beside = 0;           // lanes of the same stream or graph above it that its own overlap
  double busy_ns = 0;
};

struct TimelineLanes {
  std::vector<TimelineLane> lanes;   // from the top
  std::vector<std::size_t> lane_of;  // of each activity, in the order of Timeline::activities
  bool several_streams = false;      // or a stream and a graph
};

// A lane for the kernels of each stream, then one for the copies of each. The nodes of graphs are
// together, as if on a stream of their own. If activities of one stream overlap, the later one goes
// to the first free lane of that stream. Streams, and the lanes of one stream, are ordered with the
// busiest first.
TimelineLanes lanes_of(const Timeline& timeline);

// "kernels of stream 13, beside the lane above"; without a stream where there is but one.
std::string lane_name(const TimelineLanes& lanes, const TimelineLane& lane);
// The same for a narrow place: "kernels", "stream 13", "graph", "copies, 13", "beside it".
std::string short_lane_name(const TimelineLanes& lanes, const TimelineLane& lane);

}  // namespace warpscope
