// profiling/steps/timeline_statistics.h: a timeline as a table: how often and how long what ran.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "profiling/points/timeline.h"

namespace warpscope {

struct TimelineStatistic {
  bool on_host = false;  // an NVTX range; else something that ran on the device
  std::string kind;      // "kernel", "memcpy", "memset", "range"
  std::string name;      // of a range without the number of its run
  int calls = 0;
  double total_ns = 0, shortest_ns = 0, longest_ns = 0;
  // While it ran, by the time while anything ran on the device, or of the outermost ranges. What
  // runs at once counts in each: shares may add up to more than 1.
  double share_ratio = 0;
  double mean_ns() const { return total_ns / calls; }
};

// The time that spans cover, from start to end each; where they overlap it counts once.
double covered_ns(std::vector<std::pair<double, double>> spans);

// What ran on the device, then the ranges; each by the time it took, longest first.
std::vector<TimelineStatistic> statistics_of(const Timeline& timeline);

}  // namespace warpscope
