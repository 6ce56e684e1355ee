// profiling/emulator/memory/loaded_sectors.h: which sectors of global memory the loads of a run
// touched.
#pragma once

#include <cstdint>
#include <vector>

#include "profiling/emulator/memory/access_path.h"
#include "profiling/emulator/state/worker.h"

namespace warpscope {

// Notes the sectors of bytes that a load of global memory touches.
void note_loaded(Worker& worker, const MemoryBuffer& buffer, std::uint64_t offset,
                 std::uint64_t bytes);
// The same for each of the lanes of an access to the buffer.
void note_loaded(Worker& worker, const MemoryBuffer& buffer, const Access& access,
                 std::uint32_t lanes, int width);
// Distinct sectors that some worker's loads touched.
std::int64_t loaded_sectors(const std::vector<Worker>& workers);

}  // namespace warpscope
