// profiling/emulator/memory/memory_path.h: one memory instruction of a warp, space by space.
#pragma once

#include <bit>
#include <cstdint>
#include <string>

#include "profiling/emulator/memory/access_path.h"

// What access_path.cpp resolves an access with: a space takes the lanes that ask for it, finds
// their bytes, notes faults and counts the request; what it returns are the lanes that may go on.

namespace warpscope {

inline std::uint32_t lane_bit(int lane) { return 1u << lane; }

// What is the same for all lanes of the instruction.
struct MemoryPath {
  Warp& warp;
  const Instruction& i;
  int width, element;
  AccessIntent intent;
  AccessKind kind;
  std::uint32_t site;
  Access& access;

  Worker& worker() const { return *warp.worker; }
  std::string opcode() const { return worker().source(i).opcode; }
  // The lanes that go to memory: of lanes that the warp adds up first, the highest alone.
  std::uint32_t leaving(std::uint32_t lanes) const {
    if ((i.flags & kFlagMerged) == 0 || lanes == 0) return lanes;
    if (static_cast<WarpMerge>(i.b) == WarpMerge::whole_warps && lanes != kAllLanes) return lanes;
    return lane_bit(31 - std::countl_zero(lanes));
  }
};

// access_global.cpp: global and constant memory.
std::uint32_t access_global(const MemoryPath& path, std::uint32_t lanes, Space space);
void count_global(const MemoryPath& path, std::uint32_t lanes, Space space);
// The first element of a lane that is used and that nothing wrote; −1: none.
int empty_element(const MemoryPath& path, const MemoryBuffer& b, int lane);

// access_shared.cpp: shared memory, also that of other blocks.
std::uint32_t access_shared(const MemoryPath& path, std::uint32_t lanes);

// thread_races.cpp: lanes that use what other threads of the block do.
void compare_threads(const MemoryPath& path, const MemoryBuffer& b, std::uint32_t lanes);

// access_faults.cpp: faults, in words.
void fault_misaligned(const MemoryPath& path, std::uint32_t lanes);
void fault_outside(const MemoryPath& path, std::uint32_t lanes);
// `offset`: the byte of the buffer that the first of the lanes loads.
void fault_uninitialised(Warp& warp, const Instruction& i, const MemoryBuffer& b,
                         std::uint32_t lanes, std::int64_t offset);
void fault_outside_shared(const MemoryPath& path, std::uint32_t lanes,
                          const KernelCode::SharedVariable* array, std::int64_t bytes);
void fault_outside_block(const MemoryPath& path, int lane, std::uint64_t offset,
                         const Worker& other);
void fault_empty_block(const MemoryPath& path, int lane, std::uint64_t offset, const Worker& other);
void fault_not_mapped(const MemoryPath& path, std::uint32_t lanes);
void fault_outside_local(const MemoryPath& path, std::uint32_t lanes);
void fault_empty_local(Warp& warp, const Instruction& i, std::uint32_t lanes, std::uint64_t byte);

inline std::uint32_t misaligned_lanes(const MemoryPath& path, std::uint32_t lanes) {
  std::uint64_t low = 0;
  for (int lane = 0; lane < 32; ++lane)
    low |= (lanes >> lane & 1) != 0 ? path.access.address[lane] : 0;
  const std::uint64_t rest = static_cast<std::uint64_t>(path.width) - 1;
  if ((low & rest) == 0) return 0;
  std::uint32_t bad = 0;
  for (int lane = 0; lane < 32; ++lane)
    if ((lanes >> lane & 1) != 0 && (path.access.address[lane] & rest) != 0) bad |= lane_bit(lane);
  if (bad != 0) fault_misaligned(path, bad);
  return bad;
}

}  // namespace warpscope
