// profiling/points/timeline.h: NVTX ranges, kernels and copies of one run, with their times.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiling/points/measurement.h"

namespace warpscope {

struct TimelineRange {  // an NVTX range on the host
  std::string name;
  double start_ns = 0, end_ns = 0;  // from the capture's start
  int depth = 0;
};

struct TimelineActivity {  // something that ran on the device
  std::string kind;        // "kernel", "memcpy", "memset"
  std::string name;
  double start_ns = 0, end_ns = 0;
  std::int64_t stream = 0;
  std::int64_t bytes = 0;  // copies and memsets
  Launch launch;           // kernels
  int registers_per_thread = 0;
  std::int64_t static_shared_bytes = 0;
  std::uint64_t graph_node = 0;  // of a graph's replay, CUPTI's number; 0: launched on a stream
};

struct Timeline {
  std::int64_t job = 0;
  std::string scene, variant, key;
  std::vector<TimelineRange> ranges;
  std::vector<TimelineActivity> activities;
  Conditions conditions;
};

}  // namespace warpscope
