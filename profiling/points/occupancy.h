// profiling/points/occupancy.h: what a launch takes of a multiprocessor: how many blocks it holds
// at once, or why none starts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiling/points/measurement.h"

// All of it follows from what the compiler says of a kernel: no device is asked.
//
//   const DeviceLimits device = limits_of_architecture(90);
//   if (const auto failure = launch_failure(resources, launch, device)) show(failure->sentence);
//   else show(occupancy_of(resources, launch, device)->ratio);

namespace warpscope {

// What constraints and launches may ask of any device of an architecture; what products of it
// differ in (multiprocessors, memory) is that of an H200.
DeviceLimits limits_of_architecture(int compute_capability);
// "sm_90", and "sm_90a" for code that runs on that one alone.
std::string architecture_name(int compute_capability, bool architecture_features = false);

// Why the driver refuses a launch.
struct LaunchFailure {
  enum class Cause { registers, launch_bounds, shared_memory };
  Cause cause = Cause::registers;
  // "253 registers × 32 lanes = 8 096 per warp, allocated as 8 192 (in units of 256); × 16 warps =
  // 131 072 registers; an SM has 65 536. At most 256 threads per block."
  std::string sentence;
};
// No value if it starts as far as registers, launch bounds and shared memory decide.
std::optional<LaunchFailure> launch_failure(const KernelResources& resources, const Launch& launch,
                                            const DeviceLimits& device);

// What lets no more blocks be resident.
enum class OccupancyLimit { registers, shared_memory, warps, blocks };
const char* to_text(OccupancyLimit limit);  // "shared memory"

struct Occupancy {
  std::int64_t blocks = 0;  // of a multiprocessor
  double ratio = 0;         // their warps, of those it can hold
  OccupancyLimit limit = OccupancyLimit::warps;
};
// With as much shared memory as a multiprocessor can give. No value if the launch fails, or the
// architecture is older than any known one. source: cuda_occupancy.h of the toolkit.
std::optional<Occupancy> occupancy_of(const KernelResources& resources, const Launch& launch,
                                      const DeviceLimits& device);

// The first kernel step, of those whose resources are known, whose launch fails; null: none.
struct FailingStep {
  const StepRecord* step = nullptr;
  LaunchFailure failure;
};
std::optional<FailingStep> first_failing(const std::vector<StepRecord>& steps,
                                         const DeviceLimits& device);

}  // namespace warpscope
