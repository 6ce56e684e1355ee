// profiling/points/measurement.cpp: words for outcomes.
#include "profiling/points/measurement.h"

namespace warpscope {

const char* to_text(Outcome outcome) {
  constexpr const char* kNames[] = {"correct",   "unchecked",      "nothing to do", "cannot run",
                                    "wrong",     "compile failed", "launch failed", "faulted",
                                    "timed out", "out of memory",  "engine died"};
  return kNames[static_cast<int>(outcome)];
}

}  // namespace warpscope
