// profiling/emulator/run/launch_limits.h: what ptxas or a launch would refuse on an
// architecture.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "profiling/emulator/ptx/module.h"
#include "profiling/emulator/state/kernel_code.h"
#include "scenes/base/step.h"

// The emulator has memory enough for a block of any size; the device that a kernel is for has not.
// What would not compile or not start there is refused before it runs.
//
//   Result<void> good = within_limits(module, kernel, launch, 90);

namespace warpscope {

// One row of the table "Technical Specifications per Compute Capability" of the CUDA C++
// Programming Guide; what is the same in all rows is a constant below.
struct ArchitectureLimits {
  int compute_capability = 0;               // major·10 + minor
  std::int64_t shared_bytes_per_block = 0;  // what a launch may opt in to
  bool has_clusters = false;
};
// By rising compute capability.
std::span<const ArchitectureLimits> all_architecture_limits();
// The row of an architecture, or of the nearest older one where it has none; null: it is older than
// all of them.
const ArchitectureLimits* limits_of(int compute_capability);

// source: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability".
inline constexpr std::int64_t kMostBlockThreads = 1024, kMostBlockZ = 64;
inline constexpr std::int64_t kMostGridX = (std::int64_t{1} << 31) - 1, kMostGridYz = 65535;
inline constexpr std::int64_t kMostLocalBytes = 512 << 10;    // of a thread
inline constexpr std::int64_t kMostConstantBytes = 64 << 10;  // of a module's constants
inline constexpr std::int64_t kMostStaticSharedBytes = 48 << 10;
inline constexpr std::int64_t kBlockBarriers = 16;  // PTX ISA, "bar"
// Parameters: CUDA C++ Programming Guide, "__global__": 32764 bytes from compute capability 7.0 on,
// which PTX 8.1 can say. Before, ptxas 13.0 takes 4352, of which CUDA C++ gives 4096 away.
inline constexpr std::int64_t kMostParameterBytes = 32764, kMostOldParameterBytes = 4352;
inline constexpr int kFirstLargeParameters = 81;  // .version
// Clusters: CUDA C++ Programming Guide, "Thread Block Clusters": 8 blocks everywhere, 16 where a
// kernel allows what is not portable.
inline constexpr std::int64_t kMostClusterBlocks = 16;

// error: usage with the first limit that is passed, its value and what to do; input where no launch
// could help: ptxas refuses the text itself.
Result<void> within_limits(const PtxModule& module, const KernelCode& kernel, const Launch& launch,
                           int compute_capability);

// The launch as the driver takes it: without a cluster, a kernel declared __cluster_dims__ gets its
// own.
Launch with_own_cluster(const PtxModule& module, std::string_view entry, Launch launch);

// Registers of a block. source: CUDA C++ Programming Guide, "Technical Specifications per Compute
// Capability": 65536 a block (compute capability 7.0 to 12.1), at most 255 a thread; a warp gets
// them in units of 256, 8 for each of its threads.
inline constexpr std::int64_t kMostBlockRegisters = 65536, kRegisterUnit = 8;
// Blocks of no more threads start whatever ptxas gives a thread.
inline constexpr std::int64_t kThreadsOfAnyKernel = kMostBlockRegisters / 256;
// Whether a block of the launch finds registers for its threads. error: usage, with what fits.
Result<void> within_registers(int registers_per_thread, const Launch& launch,
                              const std::string& entry);

}  // namespace warpscope
