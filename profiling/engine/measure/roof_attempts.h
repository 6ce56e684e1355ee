// profiling/engine/measure/roof_attempts.h: the kernels and launch shapes that are tried for each
// roof.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "profiling/points/roof.h"
#include "scenes/base/source.h"

// Plain values, made without a device: tests compare them with the emulator's counts.

namespace warpscope {

// What a counter must say of one run; `slack` is how far it may be off, in its unit.
struct ExpectedCount {
  std::string id;
  double value = 0;
  double slack = 0;
};

// One attempt at a roof. Among those that measure the same roof, the best counts.
struct RoofAttempt {
  Roof roof;        // what it measures and how; value and note come from the device
  double work = 0;  // bytes or operations of one run
  // Runs that do the same on other buffers, taken in turn, so that a run finds none of its data
  // left in L2.
  std::vector<std::vector<Step>> runs;
  std::vector<ExpectedCount> counts;  // of one run; empty: nothing counts this work
  // Counts of DRAM that are kept as the roof's Mix::moved_ratio, not judged.
  bool keeps_moved_ratio = false;
};

// The arrays that DRAM is measured on: named "array0", "array1", …
struct RoofArrays {
  std::int64_t bytes = 0;  // of each; a power of two, so that gathers can reach every segment
  int count = 0;           // 3 or more
};
// As much as half of the free memory holds, 4 GiB each at most. count is 0 where not even three
// arrays of twice the L2 fit.
RoofArrays roof_arrays(const DeviceLimits& device);
std::string array_name(int i);

// All roofs of a device but the libraries' rates. Beside the arrays they use "sink", of 256 bytes.
std::vector<RoofAttempt> roof_attempts(const DeviceLimits& device, const RoofArrays& arrays);

// A scene's own roof.
RoofAttempt attempt_of(const SceneRoof& roof, const std::string& scene, const DeviceLimits& device);

// What the scenes' own roofs are measured by: another text of one of them is another id. Empty:
// they have none.
std::string scene_roofs_id(std::span<const Scene> scenes, const DeviceLimits& device,
                           const SourceLookup& sources);

// Adds the roof, or puts it in the place of a worse one that measures the same: an untrusted one is
// worse than any that is trusted.
void keep_best(RoofSet& set, Roof roof);

// Whether counters say what they should of `roof`, as its note and its trust. `counted` has ids as
// in `attempt.counts`; one without a value is said and judged no further.
void judge(const RoofAttempt& attempt, const std::vector<MetricValue>& counted, Roof& roof);

}  // namespace warpscope
