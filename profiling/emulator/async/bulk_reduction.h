// profiling/emulator/async/bulk_reduction.h: what a bulk reduction does with its elements, packed
// into an instruction.
#pragma once

#include <cstdint>

#include "profiling/emulator/instructions/warp_instructions.h"

namespace warpscope {

struct BulkReduction {
  AtomicOperation operation = AtomicOperation::add;
  AtomicType type = AtomicType::u32;
};
// Never 0, which stands for a copy.
inline std::uint32_t pack(const BulkReduction& r) {
  return 1u << 16 | static_cast<std::uint32_t>(r.operation) << 8 |
         static_cast<std::uint32_t>(r.type);
}
inline BulkReduction unpack_reduction(std::uint32_t packed) {
  return {static_cast<AtomicOperation>(packed >> 8 & 0xff), static_cast<AtomicType>(packed & 0xff)};
}

}  // namespace warpscope
