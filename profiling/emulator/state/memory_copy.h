// profiling/emulator/state/memory_copy.h: what device memory held before a launch, to run it again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "profiling/emulator/state/memory.h"

namespace warpscope {

// All buffers and variables, and which bytes were initialised.
class MemoryCopy {
 public:
  // No value: they have more than `most_bytes` together.
  static std::optional<MemoryCopy> of(EmulatedMemory::State& memory, std::int64_t most_bytes);
  void restore(EmulatedMemory::State& memory) const;

 private:
  struct Kept {
    std::vector<std::byte> bytes;
    std::vector<std::uint64_t> initialised;  // empty: all of it
  };
  std::vector<Kept> buffers_;  // in the order of the memory's
};

}  // namespace warpscope
