// profiling/emulator/memory/access_path.h: from the addresses of a warp to bytes of the host.
#pragma once

#include <cstdint>
#include <string>

#include "profiling/emulator/state/worker.h"

namespace warpscope {

// The array that stands for what %reserved_smem_offset_1 points to. Cooperative groups clear bits
// of it that nobody has set: what is in it at first does not matter.
inline constexpr const char* kReservedShared = "reserved shared memory";

// One memory instruction of a warp on its way to memory.
struct Access {
  alignas(64) std::uint64_t address[32];
  std::byte* pointer[32];
  std::uint32_t mask = 0;   // lanes that may touch memory: faults are taken out
  bool contiguous = false;  // all 32 lanes, one after the other, from `first` on
  std::byte* first = nullptr;
  // For a store: whether two lanes store the same value; and a bit for each byte of a lane's that
  // differs from what is there. Null: it cannot be asked.
  bool (*same_value)(const Warp&, const Instruction&, int lane, int other) = nullptr;
  std::uint32_t (*changed)(const Warp&, const Instruction&, int lane,
                           const std::byte* there) = nullptr;
  std::uint32_t unused = 0;  // of a load: elements of a vector that nothing uses

  const std::byte* bytes_of(int lane, int width) const {
    return contiguous ? first + std::ptrdiff_t{lane} * width : pointer[lane];
  }
  std::uint32_t changed_bytes(const Warp& warp, const Instruction& i, int lane, int width) const {
    return changed == nullptr ? ~0u : changed(warp, i, lane, bytes_of(lane, width));
  }
};

AccessStrength strength_of(const Instruction& i, AccessIntent intent);

const char* verb_of(AccessIntent intent);  // " reads "
// What a byte of shared memory is called: "_ZZ1kE1s[3]", "shared memory at byte 12".
struct SharedPlace {
  std::string name, buffer;
  std::int64_t index = -1;
};
SharedPlace shared_place(const Worker& worker, std::int64_t offset, int element);

// Notes what the shadow found at a byte of shared memory, with the size of its elements in bytes.
// `other_lane`: the lane of this warp that it is about; −1: the thread that the shadow names.
void note_shared_finding(Warp& warp, const Instruction& i, SharedFinding finding, int lane,
                         std::int64_t offset, int element, AccessIntent intent,
                         int other_lane = -1);
// The same at a byte of a buffer.
void note_global_finding(Warp& warp, const Instruction& i, SharedFinding finding, int lane,
                         const MemoryBuffer& buffer, std::int64_t offset, AccessIntent intent,
                         int other_lane = -1);

// Tells the shadow of a store whose lanes meet in one word or another; they race where they store
// different values. `buffer`: in global memory; null: in shared memory. False: no two lanes meet,
// or races are not looked for.
bool store_together(Warp& warp, const Instruction& i, const Access& access, std::uint32_t lanes,
                    int width, int element, const MemoryBuffer* buffer);

// Whether threads of one block are compared where they use a buffer.
inline bool compares_threads(const Worker& worker, const MemoryBuffer& buffer) {
  const std::vector<std::uint8_t>& compared = worker.run->compared_buffers;
  return buffer.index < compared.size() && compared[buffer.index] != 0;
}
// Tells the shadow of bytes of a buffer that whole rows of lanes use: all lanes of an instruction,
// `width` bytes each from `offset` on. False: compare_threads() has to look.
bool take_row(Warp& warp, const MemoryBuffer& buffer, std::uint64_t offset, int width, bool writes);
// Which of a lane's `count` elements have changed bytes. `bytes` has one bit per byte.
std::uint32_t changed_elements(std::uint32_t bytes, int width, int count);
// The elements of a buffer that a lane uses, all in one line. No elements: they are not compared.
LineSegment segment_of(const MemoryBuffer& buffer, std::uint64_t offset, int width, int lane);

// Finds memory for the lanes of warp.mask at slot `address_slot` + immediate, `width` bytes each
// (of `element` bytes), counts the request, and notes faults. Lanes at fault are not in the mask it
// leaves. `site` and `kind` say where the request is counted.
void resolve(Warp& warp, const Instruction& i, std::uint32_t address_slot, std::int64_t offset,
             AddressSpace space, int width, int element, AccessIntent intent, AccessKind kind,
             std::uint32_t site, Access& access);

// The slots of a load's or store's elements.
const std::uint32_t* operand_slots(const Warp& warp, const Instruction& i);

// Where the run watches read-only loads: whether this access of bytes of a buffer is one of them,
// or a write, that meets the other kind.
bool meets_read_only_load(const Warp& warp, const Instruction& i, const MemoryBuffer& buffer,
                          std::uint64_t offset, std::uint64_t bytes, bool writes);

// The fault of lanes at `offset` of a buffer, for which the above is so. It is the load's,
// whichever of the two came second.
void fault_stale_read(Warp& warp, const Instruction& i, const MemoryBuffer& buffer,
                      std::uint32_t lanes, std::uint64_t offset, std::uint64_t width, bool writes);

// Counts lanes that touched a buffer at a site, where there are sums.
void count_touch(Worker& worker, std::uint32_t site, const MemoryBuffer& buffer, int lanes);
// Notes the block that runs as a writer of these bytes of a buffer.
void note_writer(Worker& worker, const MemoryBuffer& buffer, std::uint64_t offset,
                 std::uint64_t bytes);

}  // namespace warpscope
