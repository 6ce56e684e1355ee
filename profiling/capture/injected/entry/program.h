// profiling/capture/injected/entry/program.h: what both ways to see a program's launches share.
#pragma once

#include <cuda.h>

#include "profiling/capture/injected/entry/nvtx_ranges.h"
#include "profiling/capture/injected/watcher.h"

// Launches are seen by CUPTI (injection.cpp) or at the driver's entry points (interposed.cpp),
// never by both.

namespace warpscope {

// Never destroyed: other threads of the program may still launch while it ends. Null: the program
// has not initialised CUDA, or was not started by `warpscope capture`.
extern Watcher* watcher;

// What the library itself asks of the driver is not the program's: only the outermost is.
class Inside {
 public:
  Inside() : first_(!inside) { inside = true; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  ~Inside() {
    if (first_) inside = false;
  }
  bool first() const { return first_; }

 private:
  static inline thread_local bool inside = false;
  bool first_;
};

Launch launch_of(const CUlaunchConfig& config);

}  // namespace warpscope
