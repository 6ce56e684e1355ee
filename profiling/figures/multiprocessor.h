// profiling/figures/multiprocessor.h: what a multiprocessor has, by compute capability, and how its
// registers are given to blocks.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace warpscope {

// One row of the table "Technical Specifications per Compute Capability" of the CUDA C++
// Programming Guide; what is the same in all rows is a constant below.
struct ArchitectureLimits {
  int compute_capability = 0;               // major·10 + minor
  std::int64_t shared_bytes_per_block = 0;  // what a launch may opt in to
  bool has_clusters = false;
  std::int64_t shared_bytes = 0;         // of a multiprocessor
  std::int64_t threads = 0, blocks = 0;  // that a multiprocessor holds at once
};
// By rising compute capability.
std::span<const ArchitectureLimits> all_architecture_limits();
// The row of an architecture, or of the nearest older one where it has none; null: it is older than
// all of them.
const ArchitectureLimits* limits_of(int compute_capability);

// Registers. source: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability":
// 65536 a block and a multiprocessor (compute capability 7.0 to 12.1), at most 255 a thread. They
// are allocated per warp: the registers of its 32 lanes, rounded up to a multiple of 256. source:
// cuda_occupancy.h of the toolkit, cudaOccRegAllocationGranularity: 256 for every architecture.
inline constexpr std::int64_t kMostBlockRegisters = 65536, kWarpRegisterUnit = 256;
// A multiprocessor has four parts, each with a quarter of the registers and of the warps. Whether a
// block starts is checked as if its warps came in fours. source: cuda_occupancy.h of the toolkit,
// cudaOccMaxBlocksPerSMRegsLimit.
inline constexpr std::int64_t kMultiprocessorParts = 4;
// Shared memory is given to blocks in units of 128 bytes, of 256 before compute capability 8.0;
// from 8.0 on each block takes 1 KB more for the system. source: cuda_occupancy.h,
// cudaOccSMemAllocationGranularity; CUDA C++ Programming Guide, "Shared Memory".
inline constexpr std::int64_t kSharedUnit = 128, kOldSharedUnit = 256, kSystemSharedBytes = 1024;

// The registers that are allocated for a warp, a multiple of 256.
std::int64_t warp_registers(std::int64_t registers_per_thread);
// The warps that a block is checked for: its own, rounded up to a multiple of four.
std::int64_t checked_warps(std::int64_t threads);
// The registers that a block must find to start: those of the warps that it is checked for.
std::int64_t block_registers(std::int64_t registers_per_thread, std::int64_t threads);
// The arithmetic of the above: "253 registers × 32 lanes = 8 096 per warp, allocated as 8 192 (in
// units of 256); × 16 warps = 131 072 registers"; each rounding is named where it changes a number.
std::string block_registers_text(std::int64_t registers_per_thread, std::int64_t threads);
// The largest block that finds them: a multiple of 128 threads, at most 1024.
std::int64_t most_threads_of(std::int64_t registers_per_thread);

}  // namespace warpscope
