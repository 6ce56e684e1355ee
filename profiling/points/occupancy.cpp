// profiling/points/occupancy.cpp: what a launch takes of a multiprocessor: how many blocks it holds
// at once, or why none starts.
#include "profiling/points/occupancy.h"

#include <algorithm>
#include <array>
#include <utility>

#include "profiling/figures/multiprocessor.h"
#include "scenes/host/enumerators.h"

namespace warpscope {
namespace {

constexpr std::int64_t kWarpThreads = 32;

std::int64_t threads_of(const Launch& launch) {
  return launch.block.x * launch.block.y * launch.block.z;
}

std::string at_most(std::int64_t threads) {
  return threads > 0 ? " At most " + grouped(threads) + " threads per block." : "";
}

std::optional<LaunchFailure> by_registers(const KernelResources& r, std::int64_t threads,
                                          const DeviceLimits& device) {
  const std::int64_t wanted = block_registers(r.registers_per_thread, threads);
  if (wanted <= device.registers_per_multiprocessor) return std::nullopt;
  return LaunchFailure{LaunchFailure::Cause::registers,
                       block_registers_text(r.registers_per_thread, threads) + "; an SM has " +
                           grouped(device.registers_per_multiprocessor) + "." +
                           at_most(most_threads_of(r.registers_per_thread))};
}

std::optional<LaunchFailure> by_shared(const KernelResources& r, const Launch& launch,
                                       const DeviceLimits& device) {
  const std::int64_t fixed = r.static_shared_bytes, dynamic = launch.dynamic_shared_bytes;
  const std::int64_t most = device.shared_bytes_per_block;
  if (dynamic <= most - fixed) return std::nullopt;
  std::string words = grouped(dynamic) + " bytes of dynamic shared memory";
  if (fixed > 0)
    words += " + " + grouped(fixed) + " static = " + grouped(fixed + dynamic) + " bytes";
  words += "; a block has " + grouped(most) + ".";
  if (fixed < most) words += " At most " + grouped(most - fixed) + " bytes of dynamic memory.";
  return LaunchFailure{LaunchFailure::Cause::shared_memory, std::move(words)};
}

}  // namespace

DeviceLimits limits_of_architecture(int compute_capability) {
  DeviceLimits limits;
  limits.compute_capability = compute_capability;
  limits.registers_per_multiprocessor = kMostBlockRegisters;
  if (const ArchitectureLimits* row = limits_of(compute_capability))
    limits.shared_bytes_per_block = row->shared_bytes_per_block;
  return limits;
}

std::string architecture_name(int compute_capability, bool architecture_features) {
  return "sm_" + std::to_string(compute_capability) + (architecture_features ? "a" : "");
}

std::optional<LaunchFailure> launch_failure(const KernelResources& resources, const Launch& launch,
                                            const DeviceLimits& device) {
  const std::int64_t threads = threads_of(launch);
  if (auto failure = by_registers(resources, threads, device)) return failure;
  if (resources.most_block_threads > 0 && threads > resources.most_block_threads) {
    return LaunchFailure{LaunchFailure::Cause::launch_bounds,
                         grouped(threads) + " threads; the kernel's launch bounds are " +
                             grouped(resources.most_block_threads) + "." +
                             at_most(resources.most_block_threads)};
  }
  return by_shared(resources, launch, device);
}

const char* to_text(OccupancyLimit limit) {
  return named(limit, {"registers", "shared memory", "warps", "blocks"});
}

std::optional<Occupancy> occupancy_of(const KernelResources& resources, const Launch& launch,
                                      const DeviceLimits& device) {
  const ArchitectureLimits* row = limits_of(device.compute_capability);
  if (row == nullptr || launch_failure(resources, launch, device)) return std::nullopt;
  const bool old = device.compute_capability < 80;
  const std::int64_t warps = (threads_of(launch) + kWarpThreads - 1) / kWarpThreads;
  const std::int64_t resident_warps = device.registers_per_multiprocessor / kMultiprocessorParts /
                                      warp_registers(std::max(1, resources.registers_per_thread)) *
                                      kMultiprocessorParts;
  const std::int64_t unit = old ? kOldSharedUnit : kSharedUnit;
  const std::int64_t shared =
      resources.static_shared_bytes + launch.dynamic_shared_bytes + (old ? 0 : kSystemSharedBytes);
  const std::int64_t shared_given = (shared + unit - 1) / unit * unit;
  const std::array<std::int64_t, kEnumeratorCount<OccupancyLimit>> most = {
      resident_warps / warps, shared_given > 0 ? row->shared_bytes / shared_given : row->blocks,
      row->threads / kWarpThreads / warps, row->blocks};
  // If several are equal, the last one wins: no change of the kernel lifts it.
  Occupancy found{most.front(), 0, OccupancyLimit::registers};
  for (std::size_t i = 1; i < most.size(); ++i) {
    if (most[i] <= found.blocks) found = {most[i], 0, static_cast<OccupancyLimit>(i)};
  }
  found.ratio =
      static_cast<double>(found.blocks * warps * kWarpThreads) / static_cast<double>(row->threads);
  return found;
}

std::optional<FailingStep> first_failing(const std::vector<StepRecord>& steps,
                                         const DeviceLimits& device) {
  for (const StepRecord& step : steps) {
    if (!step.resources) continue;
    if (auto failure = launch_failure(*step.resources, step.launch, device))
      return FailingStep{&step, std::move(*failure)};
  }
  return std::nullopt;
}

}  // namespace warpscope
