// profiling/figures/multiprocessor.cpp: what a multiprocessor has, by compute capability, and how
// its registers are given to blocks.
#include "profiling/figures/multiprocessor.h"

#include <algorithm>
#include <array>

#include "profiling/figures/metric.h"

namespace warpscope {
namespace {

constexpr std::int64_t kKiB = 1024, kWarpThreads = 32, kMostThreads = 1024;

// source: CUDA C++ Programming Guide 13.0, "Technical Specifications per Compute Capability":
// "Maximum amount of shared memory per thread block" and "per SM", "Maximum number of resident
// threads per SM" and "… blocks per SM". A block loses 1 KB of what a multiprocessor has to the
// system from 8.0 on; the numbers of a block are without it.
constexpr std::array<ArchitectureLimits, 13> kLimits = {{
    {70, 96 * kKiB, false, 96 * kKiB, 2048, 32},
    {72, 96 * kKiB, false, 96 * kKiB, 2048, 32},
    {75, 64 * kKiB, false, 64 * kKiB, 1024, 16},
    {80, 163 * kKiB, false, 164 * kKiB, 2048, 32},
    {86, 99 * kKiB, false, 100 * kKiB, 1536, 16},
    {87, 163 * kKiB, false, 164 * kKiB, 1536, 16},
    {89, 99 * kKiB, false, 100 * kKiB, 1536, 24},
    {90, 227 * kKiB, true, 228 * kKiB, 2048, 32},
    {100, 227 * kKiB, true, 228 * kKiB, 2048, 32},
    {103, 227 * kKiB, true, 228 * kKiB, 2048, 32},
    {110, 227 * kKiB, true, 228 * kKiB, 1536, 24},
    {120, 99 * kKiB, true, 100 * kKiB, 1536, 24},
    {121, 99 * kKiB, true, 100 * kKiB, 1536, 24},
}};

std::int64_t rounded_up(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace

std::span<const ArchitectureLimits> all_architecture_limits() { return kLimits; }

const ArchitectureLimits* limits_of(int compute_capability) {
  const ArchitectureLimits* found = nullptr;
  for (const ArchitectureLimits& row : kLimits) {
    if (row.compute_capability <= compute_capability) found = &row;
  }
  return found;
}

std::int64_t warp_registers(std::int64_t registers_per_thread) {
  return rounded_up(registers_per_thread * kWarpThreads, kWarpRegisterUnit);
}

std::int64_t checked_warps(std::int64_t threads) {
  return rounded_up(threads, kWarpThreads * kMultiprocessorParts) / kWarpThreads;
}

std::int64_t block_registers(std::int64_t registers_per_thread, std::int64_t threads) {
  return warp_registers(registers_per_thread) * checked_warps(threads);
}

std::string block_registers_text(std::int64_t registers_per_thread, std::int64_t threads) {
  const std::int64_t used = registers_per_thread * kWarpThreads,
                     allocated = warp_registers(registers_per_thread),
                     warps = (threads + kWarpThreads - 1) / kWarpThreads,
                     checked = checked_warps(threads);
  std::string text =
      grouped(registers_per_thread) + " registers × 32 lanes = " + grouped(used) + " per warp";
  if (allocated != used) text += ", allocated as " + grouped(allocated) + " (in units of 256)";
  text += "; × " + grouped(checked) + " warps";
  if (checked != warps) text += " (" + grouped(warps) + ", rounded up to a multiple of 4)";
  return text + " = " + grouped(allocated * checked) + " registers";
}

std::int64_t most_threads_of(std::int64_t registers_per_thread) {
  const std::int64_t each = warp_registers(std::max<std::int64_t>(1, registers_per_thread)),
                     in_fours = kMultiprocessorParts;
  return std::min(kMostThreads, kMostBlockRegisters / each / in_fours * in_fours * kWarpThreads);
}

}  // namespace warpscope
