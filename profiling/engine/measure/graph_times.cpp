// profiling/engine/measure/graph_times.cpp: times of a graph's steps from records of its nodes, and
// whether a stream runs the same.
#include "profiling/engine/measure/graph_times.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "profiling/figures/timing.h"

namespace warpscope {
namespace {

std::string text_of(const Dim3& d) {
  return std::to_string(d.x) + "×" + std::to_string(d.y) + "×" + std::to_string(d.z);
}

bool alike(const TimelineActivity& a, const TimelineActivity& b) {
  return a.kind == b.kind &&
         (a.kind != "kernel" ||
          (a.name == b.name && a.launch.grid == b.launch.grid && a.launch.block == b.launch.block));
}

}  // namespace

void sort_by_start(std::vector<TimelineActivity>& activities) {
  std::stable_sort(activities.begin(), activities.end(),
                   [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; });
}

std::vector<TimelineActivity> in_order_of(std::vector<TimelineActivity> on_stream,
                                          std::vector<TimelineActivity> replayed, int replays) {
  sort_by_start(on_stream);
  sort_by_start(replayed);
  const std::size_t of_one = replayed.size() / static_cast<std::size_t>(std::max(1, replays));
  std::vector<TimelineActivity> ordered;
  for (std::size_t first = 0; of_one > 0 && first < replayed.size(); first += of_one) {
    std::vector<TimelineActivity> left(
        replayed.begin() + static_cast<std::ptrdiff_t>(first),
        replayed.begin() + static_cast<std::ptrdiff_t>(std::min(first + of_one, replayed.size())));
    for (const TimelineActivity& launched : on_stream) {
      const auto found = std::find_if(left.begin(), left.end(),
                                      [&](const auto& one) { return alike(one, launched); });
      if (found == left.end()) continue;
      ordered.push_back(std::move(*found));
      left.erase(found);
    }
    std::move(left.begin(), left.end(), std::back_inserter(ordered));
  }
  return ordered;
}

Result<std::vector<double>> step_times(const std::vector<TimelineActivity>& replayed,
                                       const std::vector<int>& nodes, int replays) {
  const int of_one = std::accumulate(nodes.begin(), nodes.end(), 0);
  const auto expected = static_cast<std::size_t>(of_one) * static_cast<std::size_t>(replays);
  if (replayed.size() != expected || replays < 1) {
    return failure(ErrorKind::environment,
                   "CUPTI recorded " + std::to_string(replayed.size()) + " nodes of " +
                       std::to_string(replays) + " replays, the graph has " +
                       std::to_string(of_one),
                   "graph", "see its steps on a stream");
  }
  std::vector<std::vector<double>> samples(nodes.size());
  auto at = replayed.begin();
  for (int replay = 0; replay < replays; ++replay) {
    for (std::size_t step = 0; step < nodes.size(); ++step) {
      double sum = 0;
      for (int node = 0; node < nodes[step]; ++node, ++at) sum += at->end_ns - at->start_ns;
      samples[step].push_back(sum);
    }
  }
  std::vector<double> times;
  times.reserve(samples.size());
  for (const std::vector<double>& step : samples) times.push_back(quantile(step, 0.5));
  return times;
}

std::optional<std::string> launches_differ(std::vector<TimelineActivity> on_stream,
                                           std::vector<TimelineActivity> replayed) {
  for (auto* activities : {&on_stream, &replayed})
    std::erase_if(*activities, [](const auto& a) { return a.kind != "kernel"; });
  if (on_stream.size() != replayed.size()) {
    return "a stream launches " + std::to_string(on_stream.size()) + " kernels, the graph " +
           std::to_string(replayed.size());
  }
  for (std::size_t i = 0; i < on_stream.size(); ++i) {
    const TimelineActivity &a = on_stream[i], &b = replayed[i];
    const std::string place = "kernel " + std::to_string(i + 1) + " of a run is ";
    if (a.name != b.name) return place + a.name + " on a stream and " + b.name + " in the graph";
    if (a.launch.grid != b.launch.grid || a.launch.block != b.launch.block) {
      return place + "a grid of " + text_of(a.launch.grid) + " blocks of " +
             text_of(a.launch.block) + " threads on a stream and of " + text_of(b.launch.grid) +
             " of " + text_of(b.launch.block) + " in the graph";
    }
  }
  return std::nullopt;
}

}  // namespace warpscope
