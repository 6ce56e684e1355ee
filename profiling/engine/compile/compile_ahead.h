// profiling/engine/compile/compile_ahead.h: kernels of jobs that wait, compiled while another runs.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "profiling/engine/compile/compiler.h"

// Compiling one kernel takes longer than timing it. What the next jobs launch is compiled beside
// the one that runs, and found in the cache when they come; where there is no cache, or no
// processor to spare, nothing is done ahead.
//
//   CompileAhead ahead(spare_processors());
//   ahead.want({{request, sources}, …});   // returns at once

namespace warpscope {

class CompileAhead {
 public:
  struct Wanted {
    CompileRequest request;
    std::vector<KernelSource> sources;
    bool ptx = false;  // for the emulator, not machine code
  };
  explicit CompileAhead(int threads) : most_threads_(threads) {}
  CompileAhead(const CompileAhead&) = delete;
  CompileAhead& operator=(const CompileAhead&) = delete;
  // Waits for the compilations that have begun.
  ~CompileAhead();
  // For each text and request once, whatever came of it: an error is found again by the job. What
  // was wanted before and has not begun is forgotten.
  void want(std::vector<Wanted> kernels);
  // Until nothing waits or runs.
  void wait();

 private:
  void work();
  const int most_threads_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Wanted> waiting_;
  std::set<std::string> begun_;  // hashes
  std::vector<std::thread> threads_;
  int running_ = 0;
  bool ends_ = false;
};

// Half of this machine's processors, at most eight; none of two: one launches, one writes.
int spare_processors();
// Where no GPU is timed: all processors, at most eight, for the thread that emulates waits for what
// is compiled. None if there is but one.
int emulating_processors();

}  // namespace warpscope
