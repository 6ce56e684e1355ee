// scenes/patterns/steps.h: what each kernel of `patterns` runs: sources, defines, grids, arguments.
#pragma once

#include <string>
#include <vector>

#include "scenes/base/scene.h"

// Every function gives the steps of one technique at one workload. `technique` names the source and
// its entry: "copy_in_flight" is patterns/copy_in_flight.cu.

namespace warpscope::patterns {

using Steps = std::vector<Step>;
using Buffers = std::vector<BufferSpec>;

// A lane takes `vectors_per_lane` vectors.
Steps copy_steps(const Workload& w, const std::string& technique, std::int64_t vectors_per_lane);
Steps copy_grid_stride_steps(const Workload& w);
Steps device_copy_steps(const Workload& w);

Steps structures_steps(const Workload& w, const std::string& technique);
Steps structures_arrays_steps(const Workload& w);
Buffers structures_arrays_scratch(const Workload& w);

Steps transpose_steps(const Workload& w, const std::string& technique);

// One block per piece of 256 elements.
Steps reduction_steps(const Workload& w, const std::string& technique);
Steps reduction_warp_steps(const Workload& w);

Steps gather_steps(const Workload& w);
Steps gather_in_flight_steps(const Workload& w);

// One lane per element.
Steps atomics_steps(const Workload& w, const std::string& technique);
Steps atomics_shared_steps(const Workload& w);

}  // namespace warpscope::patterns
