// profiling/capture/injected/entry/program.h: what both ways to see a program's launches share.
#pragma once

#include <cuda.h>

#include <atomic>
#include <string>

#include "profiling/capture/injected/entry/nvtx_ranges.h"
#include "profiling/capture/injected/limited_calls.h"
#include "profiling/capture/injected/watcher.h"

// Launches are seen by CUPTI (injection.cpp) or at the driver's entry points (interposed.cpp),
// never by both. CUPTI serves one subscriber: it is given back when the program itself subscribes
// (cupti_given_back.cpp).

namespace warpscope {

// Never destroyed: other threads of the program may still launch while it ends. Null: the program
// has not initialised CUDA, or was not started by `warpscope capture`.
extern Watcher* watcher;

// What the library itself asks of the driver is not the program's: only the outermost is.
class Inside {
 public:
  Inside() : first_(!inside && !on_own_thread()) { inside = true; }
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

// Which of the two sees launches; neither, before the program initialises CUDA.
extern std::atomic<bool> seen_by_cupti, seen_at_entries;
// From now on launches are seen at the entry points. `why`: a sentence for the person; empty: it
// was asked for. Trouble is said if the program does not call this library's entry points.
void see_at_entries(const std::string& why);
// Called before the program subscribes to CUPTI: ends this library's own subscription.
void give_cupti_back();

// What the C library finds: dlsym of this library answers for the driver's functions.
void* real_symbol(void* library, const char* name);
// What a program finds in place of CUPTI's function of this name; null: CUPTI's own.
void* in_place_of_cupti(const char* name);
// Whether the program calls this library's entry points: it was loaded before the program.
bool has_entries();

}  // namespace warpscope
