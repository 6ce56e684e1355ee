// profiling/steps/timeline_statistics.h: a timeline as a table: how often and how long what ran.
#pragma once

#include <string>
#include <string_view>
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

// A time in which nothing ran on the device, between two activities.
struct IdleGap {
  double start_ns = 0, end_ns = 0;
  std::string after, before;  // names of the activities around it
  double ns() const { return end_ns - start_ns; }
};
// How the device was used between two times, from the first activity in between to the last one.
struct DeviceUse {
  double start_ns = 0, end_ns = 0;  // equal: nothing ran
  double busy_ns = 0;               // in which anything ran
  int activities = 0;
  std::vector<IdleGap> gaps;  // the longest first
  double busy_ratio() const { return end_ns > start_ns ? busy_ns / (end_ns - start_ns) : 0; }
};
DeviceUse device_use_of(const Timeline& timeline, double from_ns, double to_ns);
// "92.3 % of 118.8 µs busy; 12 gaps, the longest 3.10 µs before multiply"; empty: nothing ran.
std::string to_text(const DeviceUse& use);

// What lies between two times; what crosses one of them is cut there.
Timeline cut_out(const Timeline& timeline, double from_ns, double to_ns);

// The activities whose names have these words, whatever their case, in order of their start; none
// if there are no words.
std::vector<std::size_t> activities_with(const Timeline& timeline, std::string_view words);
// Whether one name has them.
bool has_words(std::string_view name, std::string_view words);

// What ran on the device, then the ranges; each by the time it took, longest first.
std::vector<TimelineStatistic> statistics_of(const Timeline& timeline);

}  // namespace warpscope
