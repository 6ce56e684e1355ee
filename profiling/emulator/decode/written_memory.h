// profiling/emulator/decode/written_memory.h: through which pointers a kernel may write global
// memory.
#pragma once

#include <cstdint>
#include <vector>

#include "profiling/emulator/state/kernel_code.h"

namespace warpscope {

struct RunShared;

// Follows addresses of stores and atomics back to parameters and module variables, and sets
// KernelCode::written. Needs KernelCode::store_addresses and ::loaded_pointers.
void find_written_memory(KernelCode& kernel);

// Buffers of the run's memory, by index, that the kernel may write with these arguments.
std::vector<bool> written_buffers(const RunShared& run);

}  // namespace warpscope
