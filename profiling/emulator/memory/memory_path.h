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

  // access_global.cpp
  std::uint32_t global(std::uint32_t lanes, Space space) const;
  // access_shared.cpp
  std::uint32_t shared(std::uint32_t lanes) const;
  // For lanes whose addresses lie outside the block's own memory: those that find another block's
  // there. `outside` keeps the lanes that name no block.
  std::uint32_t in_other_blocks(std::uint32_t& outside) const;
  // access_path.cpp
  std::uint32_t local(std::uint32_t lanes) const;
  std::uint32_t param(std::uint32_t lanes) const;
  void generic(std::uint32_t lanes);
  void record(std::uint32_t lanes, AddressSpace space) const;

  Worker& worker() const { return *warp.worker; }
  std::string opcode() const { return worker().source(i).opcode; }
  std::uint32_t misaligned(std::uint32_t lanes) const {
    std::uint64_t low = 0;
    for (int lane = 0; lane < 32; ++lane)
      low |= (lanes >> lane & 1) != 0 ? access.address[lane] : 0;
    const std::uint64_t rest = static_cast<std::uint64_t>(width) - 1;
    if ((low & rest) == 0) return 0;
    std::uint32_t bad = 0;
    for (int lane = 0; lane < 32; ++lane)
      if ((lanes >> lane & 1) != 0 && (access.address[lane] & rest) != 0) bad |= lane_bit(lane);
    if (bad != 0) fault_misaligned(bad);
    return bad;
  }
  // The lanes that go to memory: of lanes that the warp adds up first, the highest alone.
  std::uint32_t leaving(std::uint32_t lanes) const {
    if ((i.flags & kFlagMerged) == 0 || lanes == 0) return lanes;
    if (static_cast<WarpMerge>(i.b) == WarpMerge::whole_warps && lanes != kAllLanes) return lanes;
    return lane_bit(31 - std::countl_zero(lanes));
  }
  void count_global(std::uint32_t lanes, Space space) const;

 private:
  // For lanes that will touch memory: for who looks for repetition, or for what a loop reads.
  void watch(std::uint32_t lanes, AddressSpace space) const;

  // Makes bytes that are made by page, checks reads element by element, marks writes.
  void prepare_bytes(MemoryBuffer& b, std::uint32_t lanes) const;
  // The first element of a lane that is used and that nothing wrote; −1: none.
  int empty_element(const MemoryBuffer& b, int lane) const;
  // Lanes that load through the read-only cache what this launch writes, or the other way round.
  void watch_read_only(const MemoryBuffer& b, std::uint32_t lanes) const;
  // Lanes that use what other threads of the block do.
  void compare_threads(const MemoryBuffer& b, std::uint32_t lanes) const;
  void compare_segment(const MemoryBuffer& b, const LineSegment& segment,
                       std::uint32_t changed) const;
  std::uint32_t changed_in(const LineSegment& segment) const;
  void touch(const MemoryBuffer* b, std::uint32_t lanes, Space space) const;
  void use(MemoryBuffer& b, std::uint32_t lanes, Space space) const;  // all three
  // The buffer of this instruction's last access, or that of the address. Null: look lane by lane.
  MemoryBuffer* likely_buffer(std::uint64_t address) const;
  // The lanes whose bytes lie in the buffer, or in any; they get pointers to them.
  std::uint32_t inside(MemoryBuffer& b, std::uint32_t lanes, Space space) const;
  std::uint32_t inside_any(std::uint32_t lanes, Space space) const;

  void shared_finding(SharedFinding finding, int lane, int byte) const;
  // `elsewhere`: lanes in memory of other blocks.
  void count_shared(std::uint32_t lanes, std::uint32_t elsewhere) const;
  void tell_shadow(std::uint32_t lanes) const;

  // access_faults.cpp
  void fault_misaligned(std::uint32_t lanes) const;
  void fault_outside(std::uint32_t lanes) const;
  void fault_uninitialised(const MemoryBuffer& b, std::uint32_t lanes) const;
  void fault_outside_shared(std::uint32_t lanes, const KernelCode::SharedVariable* array,
                            std::int64_t bytes) const;
  void fault_outside_block(int lane, std::uint64_t offset, const Worker& other) const;
  void fault_empty_block(int lane, std::uint64_t offset, const Worker& other) const;
  void fault_not_mapped(std::uint32_t lanes) const;
  void fault_outside_local(std::uint32_t lanes) const;
  void fault_empty_local(std::uint32_t lanes, std::uint64_t byte) const;
};

}  // namespace warpscope
