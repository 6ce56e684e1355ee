// profiling/steps/timeline_lanes.cpp: in which lane of a picture each activity of a timeline
// stands.
#include "profiling/steps/timeline_lanes.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

namespace warpscope {
namespace {

struct OpenLane {
  TimelineLane lane;
  double end_ns = 0;
  std::vector<std::size_t> activities;
};

// The kernels of a stream, or its copies.
struct Group {
  std::vector<OpenLane> lanes;
  double busy_ns = 0;
};

// Though the one before ends a little later than it starts.
bool follows(const TimelineActivity& a, double end_ns) {
  return end_ns < a.end_ns && end_ns <= a.start_ns + kNeighbourNs;
}

// The first lane that is free, or else of those whose last it follows that which it crosses least.
std::vector<OpenLane>::iterator lane_for(const TimelineActivity& a, std::vector<OpenLane>& lanes) {
  auto best = lanes.end();
  for (auto lane = lanes.begin(); lane != lanes.end(); ++lane) {
    if (lane->end_ns <= a.start_ns) return lane;
    if (follows(a, lane->end_ns) && (best == lanes.end() || lane->end_ns < best->end_ns))
      best = lane;
  }
  return best;
}

void put(Group& group, std::size_t index, const TimelineActivity& a) {
  auto free = lane_for(a, group.lanes);
  if (free == group.lanes.end()) free = group.lanes.insert(group.lanes.end(), OpenLane{});
  free->activities.push_back(index);
  free->end_ns = std::max(free->end_ns, a.end_ns);
  free->lane.busy_ns += a.end_ns - a.start_ns;
  group.busy_ns += a.end_ns - a.start_ns;
}

std::vector<std::size_t> by_start(const std::vector<TimelineActivity>& activities) {
  std::vector<std::size_t> order(activities.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
    const TimelineActivity &a = activities[i], &b = activities[j];
    return a.start_ns != b.start_ns ? a.start_ns < b.start_ns : a.end_ns > b.end_ns;
  });
  return order;
}

}  // namespace

TimelineLanes lanes_of(const Timeline& timeline) {
  using Stream = std::pair<bool, std::int64_t>;  // whether it is of graphs, else which
  using Key = std::pair<bool, Stream>;           // copies
  std::map<Key, Group> groups;
  std::set<Stream> streams;
  for (const std::size_t i : by_start(timeline.activities)) {
    const TimelineActivity& a = timeline.activities[i];
    const Stream stream = a.graph_node != 0 ? Stream{true, 0} : Stream{false, a.stream};
    put(groups[{a.kind != "kernel", stream}], i, a);
    streams.insert(stream);
  }
  std::vector<std::pair<Key, Group>> ordered(std::make_move_iterator(groups.begin()),
                                             std::make_move_iterator(groups.end()));
  std::stable_sort(ordered.begin(), ordered.end(), [](const auto& a, const auto& b) {
    if (a.first.first != b.first.first) return !a.first.first;
    return a.second.busy_ns > b.second.busy_ns;
  });
  TimelineLanes found;
  found.several_streams = streams.size() > 1;
  found.lane_of.resize(timeline.activities.size());
  for (auto& [key, group] : ordered) {
    std::stable_sort(group.lanes.begin(), group.lanes.end(),
                     [](const auto& a, const auto& b) { return a.lane.busy_ns > b.lane.busy_ns; });
    int beside = 0;
    for (OpenLane& open : group.lanes) {
      for (const std::size_t i : open.activities) found.lane_of[i] = found.lanes.size();
      open.lane.copies = key.first;
      std::tie(open.lane.graph, open.lane.stream) = key.second;
      open.lane.beside = beside++;
      found.lanes.push_back(open.lane);
    }
  }
  return found;
}

std::string lane_name(const TimelineLanes& lanes, const TimelineLane& lane) {
  std::string name = lane.copies ? "copies and memsets" : "kernels";
  if (lanes.several_streams) {
    name += lane.graph         ? " of the graph"
            : lane.stream == 0 ? " of a stream that is not known"
                               : " of stream " + std::to_string(lane.stream);
  }
  return name + (lane.beside > 0 ? ", beside the lane above" : "");
}

std::string short_lane_name(const TimelineLanes& lanes, const TimelineLane& lane) {
  if (lane.beside > 0) return "beside it";
  if (!lanes.several_streams) return lane.copies ? "copies" : "kernels";
  if (lane.graph) return lane.copies ? "copies, graph" : "graph";
  return (lane.copies ? "copies, " : "stream ") +
         (lane.stream == 0 ? "?" : std::to_string(lane.stream));
}

}  // namespace warpscope
