// profiling/emulator/async/bulk_copy.h: bulk copies between global memory and shared memory, of
// bytes and of boxes of tensors.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "profiling/emulator/state/tensor_map.h"
#include "profiling/emulator/state/worker.h"

// A copy is over as soon as it is issued; the shadow of shared memory knows which threads may not
// see that yet. Each lane of warp.mask asks for one. In an instruction
//   a          shared memory: the destination, or of stores the source
//   b          global memory or the tensor map; of passes the destination in shared::cluster
//   c          the mbarrier that is told, 0: none
//   count      dimensions of the box, 0: bytes side by side
//   subop      the flags below
//   target     what reduction it does: see packed_reduction; 0: it copies
//   slots[extra …]: offsets of b and c, slots of the bytes and of the multicast mask (0: none),
//                   slots of the coordinates
// source: PTX ISA, "cp.async.bulk", "cp.reduce.async.bulk", "cp.async.bulk.tensor".

namespace warpscope {

// Addresses and sizes of bytes; of boxes the place in shared memory.
inline constexpr std::int64_t kBulkAlignment = 16, kTensorAlignment = 128;

inline constexpr std::uint8_t kFlagBarrier32 = 1;  // c has 4 bytes
inline constexpr std::uint8_t kFlagSource32 = 2;   // b has 4 bytes
inline constexpr std::uint32_t kBulkSlots = 4;     // before the coordinates

void run_bulk_load(Warp& warp, const Instruction& i);   // global to shared, also of several blocks
void run_bulk_store(Warp& warp, const Instruction& i);  // shared to global
void run_bulk_pass(Warp& warp, const Instruction& i);   // shared to another block's
void run_bulk_prefetch(Warp& warp, const Instruction& i);
void run_bulk_commit(Warp& warp, const Instruction& i);  // cp.async.bulk.commit_group
void run_bulk_wait(Warp& warp, const Instruction& i);    // …wait_group: immediate groups are left

// Bytes of global memory, first to one past the last.
struct GlobalRange {
  std::uint64_t first = 0, end = 0;
};

// A row of a box: where it lies in the box, and which of its bytes are inside the tensor.
struct BoxRow {
  std::int64_t at = 0;    // bytes from the begin of the box
  std::int64_t skip = 0;  // bytes of the row before those inside
  GlobalRange range;      // empty: none is inside
};
// What a map and the coordinates of a lane name. Elements outside the tensor are zeros that nothing
// reads, and are not written.
struct CopiedBox {
  std::int64_t bytes = 0, row_bytes = 0;
  std::vector<BoxRow> rows;
};

// One lane's copy.
struct BulkCopy {
  Warp& warp;
  const Instruction& i;
  int lane;
  bool stores = false;  // to global memory

  Worker& worker() const { return *warp.worker; }
  std::string opcode() const { return worker().source(i).opcode; }
  void fault(FaultKind kind, const std::string& detail, const std::string& buffer = {},
             std::int64_t index = -1) const;
  bool aligned(std::uint64_t value, std::int64_t to, const char* what) const;
  bool global_is_aligned(std::uint64_t address) const;
  // Bounds and alignment of `bytes` of a block's shared memory.
  bool holds_shared(const Worker& block, std::uint64_t offset, std::int64_t bytes,
                    std::int64_t alignment, bool writes) const;
  // The buffer that holds the whole range, or null after noting why there is none. A load notes
  // bytes that were never written; a store marks the bytes as written.
  MemoryBuffer* buffer_of(const GlobalRange& range) const;

  std::uint64_t address(std::uint32_t slot, bool narrow, std::int64_t offset) const;
  std::uint32_t slot(std::uint32_t k) const;  // of slots[extra …]
  std::uint32_t value(std::uint32_t k) const { return warp.slot<std::uint32_t>(slot(k))[lane]; }
  // a, b and c with their offsets; shared addresses may name another block.
  std::uint64_t shared_address() const;
  std::uint64_t other_address() const;
  std::uint64_t barrier_address() const;
  // The block that the destination and the barrier lie in, whose addresses become offsets there.
  // Null after noting that one lies in none, or that they lie in two.
  Worker* block_told_at(std::uint64_t& destination, std::uint64_t& barrier) const;

  // The map at an address, false after noting that there is none.
  bool map_at(std::uint64_t address, EmulatedTensorMap& map) const;
  CopiedBox box_of(const EmulatedTensorMap& map) const;

  // Adds the distinct bytes, sectors and lines of global memory that the copy moves.
  void count(std::vector<GlobalRange> ranges, const MemoryBuffer* buffer,
             WarpRequest& request) const;
};

// Where a byte of a box lies in shared memory: tensor maps may swizzle 16-byte pieces.
// source: PTX ISA, "Swizzling modes": of addresses, bits 4 … are turned by bits 7 ….
std::uint64_t swizzled(std::uint64_t address, std::uint32_t mode);

// Adds a request to the sums of its site, and keeps it where requests are kept.
void keep_bulk_request(Warp& warp, const Instruction& i, const WarpRequest& request,
                       AccessKind kind);

}  // namespace warpscope
