// profiling/points/measurement.cpp: words for outcomes.
#include "profiling/points/measurement.h"

#include "scenes/host/enumerators.h"

namespace warpscope {

const char* to_text(Outcome outcome) {
  return named(outcome,
               {"correct", "unchecked", "nothing to do", "cannot run", "wrong", "compile failed",
                "launch failed", "faulted", "timed out", "out of memory", "engine died"});
}

}  // namespace warpscope
