// scenes/base/device_units.h: the units of a device, lanes, sectors and banks, levels of memory and
// arithmetic pipes, and its limits.
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

// Where a kernel's bytes or instructions pass. `pipe` stands for arithmetic: see Pipe.
enum class Level { dram, l2, l1, shared, issue, pipe };
const char* to_text(Level level);  // "DRAM"

// Units that do a kernel's arithmetic, by the type of what they multiply. A tensor core is reached
// by mma.sync or, faster, by wgmma (compute capability 9.0): each has a ceiling of its own.
enum class Pipe {
  fp32,
  half2,
  dp4a,
  mma_f16,
  mma_bf16,
  mma_tf32,
  mma_s8,  // and unsigned bytes
  wgmma_f16,
  wgmma_bf16,
  wgmma_tf32,
  wgmma_s8,
};
const char* to_text(Pipe pipe);  // "FP32", "mma.sync BF16"

// What constraints may ask of a device. Defaults describe an H200.
struct DeviceLimits {
  int compute_capability = 90;  // major·10 + minor
  int multiprocessors = 132;
  std::int64_t shared_bytes_per_block = 232448;  // opt-in maximum
  std::int64_t registers_per_multiprocessor = 65536;
  std::int64_t l2_bytes = 60LL << 20;
  std::int64_t free_bytes = 139LL << 30;
};

}  // namespace warpscope
