// profiling/emulator/run/launch_limits.h: what ptxas or a launch would refuse on an
// architecture.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "profiling/emulator/ptx/module.h"
#include "profiling/emulator/state/kernel_code.h"
#include "profiling/figures/multiprocessor.h"
#include "scenes/base/step.h"

// The emulator has memory enough for a block of any size; the device that a kernel is for has not.
// What would not compile or not start there is refused before it runs.
//
//   Result<void> good = within_limits(module, kernel, launch, 90);

namespace warpscope {

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

// Blocks of no more threads start whatever ptxas gives a thread.
inline constexpr std::int64_t kThreadsOfAnyKernel = kMostBlockRegisters / 256;
// Whether a block of the launch finds registers for its threads. error: usage, with what fits.
Result<void> within_registers(int registers_per_thread, const Launch& launch,
                              const std::string& entry);

}  // namespace warpscope
