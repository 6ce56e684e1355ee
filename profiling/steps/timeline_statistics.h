// profiling/steps/timeline_statistics.h: a timeline as a table: how often and how long what ran.
#pragma once

#include <string>
#include <vector>

#include "profiling/points/timeline.h"

namespace warpscope {

struct TimelineStatistic {
  bool on_host = false;  // an NVTX range; else something that ran on the device
  std::string kind;      // "kernel", "memcpy", "memset", "range"
  std::string name;      // of a range without the number of its run
  int calls = 0;
  double total_ns = 0, shortest_ns = 0, longest_ns = 0;
  // Of the time of all that ran on the device, or of the outermost ranges.
  double share_ratio = 0;
  double mean_ns() const { return total_ns / calls; }
};

// What ran on the device, then the ranges; each by the time it took, longest first.
std::vector<TimelineStatistic> statistics_of(const Timeline& timeline);

}  // namespace warpscope
