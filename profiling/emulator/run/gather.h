// profiling/emulator/run/gather.h: what the workers of a run did, as a trace.
#pragma once

#include <vector>

#include "profiling/emulator/state/worker.h"

namespace warpscope {

// Adds up the workers.
void gather(const KernelCode& kernel, const EmulatedMemory::State& memory,
            std::vector<Worker>& workers, Trace& trace);

}  // namespace warpscope
