// scenes/base/memory_units.h: the units in which a device of CUDA runs threads and moves memory.
#pragma once

#include <cstdint>

namespace warpscope {

// CUDA C++ Programming Guide, "SIMT Architecture": a warp is 32 threads, its lanes.
inline constexpr int kWarpLanes = 32;
inline constexpr std::uint32_t kAllLanes = 0xFFFFFFFFU;  // as a mask, a bit a lane
// CUDA C++ Programming Guide, "Device Memory Accesses": L2 and DRAM move 32-byte sectors, four of
// which make a 128-byte cache line with one tag.
inline constexpr std::int64_t kSectorBytes = 32;
inline constexpr std::int64_t kLineBytes = 128;
// CUDA C++ Programming Guide, "Shared Memory": 32 banks of 4 bytes.
inline constexpr int kSharedBanks = 32;
inline constexpr std::int64_t kBankBytes = 4;

}  // namespace warpscope
