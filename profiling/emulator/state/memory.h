// profiling/emulator/state/memory.h: buffers at virtual addresses, with a bit for each initialised
// byte.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "profiling/access/access.h"
#include "profiling/emulator/emulator.h"
#include "profiling/emulator/ptx/module.h"

namespace warpscope {

// Generic addresses: shared memory and local memory have windows; everything else is global.
inline constexpr std::uint64_t kSpaceWindowBytes = kOwnSharedBytes;
inline constexpr std::uint64_t kSharedWindow = 1ull << 40;
// A block's own shared memory is followed by that of the 16 blocks of a cluster: see cluster.h.
inline constexpr std::uint64_t kMostMappedBytes = 16 * kSpaceWindowBytes;
inline constexpr std::uint64_t kSharedWindowBytes = kSpaceWindowBytes + kMostMappedBytes;
inline constexpr std::uint64_t kLocalWindow = 2ull << 40;
inline constexpr std::uint64_t kParamWindow = 3ull << 40;
inline constexpr std::uint64_t kLastWindowEnd = kParamWindow + kSpaceWindowBytes;
// Below 2^47, where GPUs put buffers too, there is room for about 1800 of them with their gaps.
inline constexpr std::uint64_t kFirstBufferAddress = 16ull << 40;
inline constexpr std::uint64_t kBufferAlignment = 256;  // cudaMalloc's

struct MemoryBuffer {
  EmulatedMemory::Spec spec;
  std::uint64_t address = 0;
  std::int64_t bytes = 0;
  std::byte* data = nullptr;
  std::size_t index = 0;              // in State::buffers
  bool internal = false;              // a variable of a module, not a buffer of the person's
  bool read_only = false;             // __constant__, and inputs
  std::vector<std::byte> own;         // the bytes of internal ones
  const PagedBytes* pages = nullptr;  // what makes its bytes; null: they are there
  // A bit per byte, 64 in a word; not looked at while all_initialised. Several threads set bits.
  std::atomic<bool> all_initialised{true};
  struct Free {
    void operator()(void* p) const { std::free(p); }
  };
  std::unique_ptr<std::uint64_t[], Free> initialised;
  // Every byte is there and initialised: an access has nothing to look at. Others call prepare()
  // before they touch a byte.
  std::atomic<bool> plain{true};

  bool holds(std::uint64_t at, std::uint64_t width) const {
    return at - address < static_cast<std::uint64_t>(bytes) &&
           at - address + width <= static_cast<std::uint64_t>(bytes);
  }
  // Makes the pages of these bytes of a buffer that is not plain.
  void prepare(std::uint64_t offset, std::uint64_t width);
  // Whether all of these bytes of the buffer are initialised; marks them.
  bool is_initialised(std::uint64_t offset, std::uint64_t width) const;
  void mark(std::uint64_t offset, std::uint64_t width);
};

struct EmulatedMemory::State {
  std::vector<std::unique_ptr<MemoryBuffer>> buffers;  // by rising address
  std::uint64_t next = kFirstBufferAddress;
  // Addresses of a module's variables, by index; −1 (all ones): not in memory.
  struct ModuleVariables {
    std::shared_ptr<const void> module;  // keeps the key alive
    std::vector<std::uint64_t> addresses;
  };
  std::map<const void*, ModuleVariables> modules;
  std::uint64_t workspace_address = 0;
  const MemoryBuffer* heap_buffer = nullptr;
  std::atomic<std::uint64_t> heap_used{0};
  // What an earlier memory's variables held, by module and index; empty: nothing of it.
  std::map<const void*, std::vector<std::vector<std::byte>>> kept;

  // For each module, its constants that were filled, by index.
  std::map<const void*, std::set<std::size_t>> filled_constants;

  MemoryBuffer& add(Spec spec, std::byte* data, std::int64_t bytes);
  // The buffer that holds the byte; null: none.
  MemoryBuffer* find(std::uint64_t address) const;
  // The buffer nearest to an address that no buffer holds, with no other buffer between; null when
  // the address is further than the gaps are.
  const MemoryBuffer* nearest(std::uint64_t address) const;
  // The grid's workspace, made of zeros at the first call: where blocks of a cooperative launch
  // meet.
  std::uint64_t workspace();
  // Makes the heap that malloc takes from, at the first call.
  void make_heap();
  // As malloc: of make_heap's memory; 0: there is no more. Several threads may call it.
  std::uint64_t allocate(std::uint64_t bytes);
  const ModuleVariables& place(const std::shared_ptr<const void>& owner, const PtxModule& module);
};

// "b[4711]", or with a shape "B[9, 103]", for the element at an offset that may lie outside.
std::string element_name(const MemoryBuffer& buffer, std::int64_t offset, std::int64_t* index);

}  // namespace warpscope
