// profiling/emulator/state/read_only_loads.h: read-only loads of what the same launch writes.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <vector>

#include "profiling/emulator/state/kernel_code.h"
#include "profiling/emulator/state/memory.h"

// ld.global.nc and ldu read through a cache that sees no writes of the running kernel: PTX ISA,
// "ld.global.nc", and CUDA C++ Programming Guide, "Read-Only Data Cache Load Function", ask that
// the data be read-only for the lifetime of the kernel. One bit per byte says what was loaded as
// read-only data, and one what was written since the launch began, by any block. A byte with both
// is a fault, whichever came first. Several threads of the host share it.

namespace warpscope {

class ReadOnlyLoads {
 public:
  enum class Side : std::uint8_t { loaded, written };

  // `written`: by index, buffers that the launch may write. Other buffers need no notes.
  ReadOnlyLoads(const std::vector<bool>& written, const KernelCode& kernel);

  // Notes that the instruction at `pc` loads or writes bytes of a buffer. False: the other side has
  // some of them.
  bool note(Side side, const MemoryBuffer& buffer, std::uint64_t offset, std::uint64_t bytes,
            std::uint32_t pc);
  // An instruction that did `side` to one of the bytes, and the byte; after note() said no.
  struct Meeting {
    std::uint32_t pc = 0;
    std::uint64_t offset = 0;
  };
  Meeting meeting(Side side, const MemoryBuffer& buffer, std::uint64_t offset,
                  std::uint64_t bytes) const;

 private:
  struct Free {
    void operator()(std::uint64_t* words) const { std::free(words); }
  };
  // A bit per byte of a buffer; made at the first use, of pages that cost nothing until then.
  class Bits {
   public:
    std::uint64_t* words(const MemoryBuffer& buffer, std::mutex& mutex);
    std::uint64_t* words() const { return words_.load(std::memory_order_acquire); }

   private:
    std::atomic<std::uint64_t*> words_{nullptr};
    std::unique_ptr<std::uint64_t, Free> owner_;
  };
  struct Buffer {
    bool watched = true;
    Bits bits[2];                                              // by Side
    std::atomic<std::uint32_t> first_name[2]{nobody, nobody};  // has what no Part has
  };
  static constexpr std::uint32_t nobody = ~0u;
  // What another instruction was the first to load or write, of one buffer.
  struct Part {
    std::uint32_t pc = 0;
    std::size_t buffer = 0;
    Side side = Side::loaded;
    Bits bits;
    std::unique_ptr<Part> next;  // of the same instruction
    Part* older = nullptr;       // of any
  };
  struct Parts {
    std::atomic<Part*> first{nullptr};
    std::unique_ptr<Part> owner;
  };
  Part& part_of(std::uint32_t pc, Side side, const MemoryBuffer& buffer);

  std::vector<Buffer> buffers_;
  // Instructions of one line and opcode, made by unrolling, go by the name of the first of them.
  std::vector<std::uint32_t> name_of_;
  std::vector<Parts> by_instruction_;
  std::atomic<Part*> newest_{nullptr};
  std::mutex mutex_;
};

}  // namespace warpscope
