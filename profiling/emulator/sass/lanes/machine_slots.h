// profiling/emulator/sass/lanes/machine_slots.h: how an instruction of machine code tells its
// sources to the function that runs it.
#pragma once

#include <cstdint>

namespace warpscope {

inline constexpr std::uint32_t kSlotBytes = 128;  // 32 lanes of 4 bytes
// What the system keeps of a block's shared memory since compute capability 9.0.
inline constexpr std::int64_t kSystemShared = 1024;
// What stands for the address of a function that the driver brings, by its number
// (call_family.cpp); the upper word is all ones. Its arguments and its result are passed in so many
// bytes at the beginning of a lane's local memory.
inline constexpr std::uint32_t kSystemFunctions = 0xfffff000;
inline constexpr std::int64_t kSystemCallBytes = 64;

// Bits of Instruction::immediate: how sources are changed, by number from 0.
[[gnu::always_inline]] constexpr std::int64_t negated_bit(int source) {
  return std::int64_t{1} << (2 * source);
}
[[gnu::always_inline]] constexpr std::int64_t absolute_bit(int source) {
  return std::int64_t{2} << (2 * source);
}
// And whether predicates among the sources are flipped.
[[gnu::always_inline]] constexpr std::int64_t flipped_bit(int source) {
  return std::int64_t{1} << (16 + source);
}
inline constexpr int kSubopShift = 32;  // what else a handler is told

}  // namespace warpscope
