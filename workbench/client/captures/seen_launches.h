// workbench/client/captures/seen_launches.h: the kernels that a program launched, summed over its
// processes.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "profiling/capture/reports.h"

namespace warpscope {

// Sums of all processes of a program. Each report of a process replaces its earlier sums.
class SeenLaunches {
 public:
  void add(const LaunchesReport& report);
  std::int64_t launches() const;
  std::int64_t graph_launches() const;  // of CUDA graphs, whose kernels are not seen

  static constexpr std::size_t kMostRanges = 8;
  struct Kernel {
    std::string symbol, name;
    std::int64_t launches = 0, timed = 0;
    double time_ms = 0, longest_ms = 0;
    std::int64_t longest_number = 0;
    std::vector<TallyRow> shapes;     // of all ranges and processes, the most frequent first
    std::vector<std::string> ranges;  // NVTX ranges, each once; at most kMostRanges

    // The mean of the timed launches; 0: none was timed.
    double mean_ms() const { return timed == 0 ? 0 : time_ms / static_cast<double>(timed); }
  };
  // By time where launches were timed, else by count.
  std::vector<Kernel> kernels() const;
  // The kernel, shape and range with the longest launch, among those; no value: none was timed.
  std::optional<TallyRow> longest(const std::function<bool(const TallyRow& row)>& among) const;
  std::size_t processes() const { return processes_.size(); }

  // The launches that were timed last, in the order in which they were reported.
  struct Span {
    std::int64_t process = 0, stream = 0;
    std::string symbol, range;
    Launch launch;
    double start_ms = 0, ms = 0;
  };
  const std::deque<Span>& recent() const { return recent_; }

 private:
  struct Process {
    std::map<std::string, TallyRow> rows;  // by kernel, shape and range
    std::int64_t graph_launches = 0;
  };
  std::map<std::int64_t, Process> processes_;
  std::deque<Span> recent_;
};

// "512 × 32,4, 24 B shared"
std::string shape_text(const Launch& launch);

}  // namespace warpscope
