// profiling/engine/compile/resources.h: what the compiler says a kernel takes: registers, spills,
// shared memory.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/engine/compile/compiler.h"
#include "profiling/points/measurement.h"
#include "scenes/base/step.h"

// No driver and no device are asked: the same on every machine with this toolkit.
//
//   Result<Compiled> code = compile({"deform/two_phase.cu", {}, 80}, *texts);
//   Result<KernelResources> r = resources_of(*code, "two_phase");   // r->registers_per_thread

namespace warpscope {

// The resources of one entry, without what a launch adds. error: internal, ptxas does not mention
// the entry.
Result<KernelResources> resources_of(const Compiled& code, const std::string& entry);
// The same from ptxas's report alone.
Result<KernelResources> reported_resources(std::string_view log, const std::string& entry);

// The record of a kernel step as it is compiled for an architecture: its resources with the
// occupancy of its launch, or the refusal: it needs another architecture, or does not compile.
StepRecord compiled_step(const Step& step, const KernelLaunch& kernel, int compute_capability,
                         const SourceLookup& sources);

// Those of every kernel step, in order; asks `go_on` before each, which may take seconds.
std::vector<StepRecord> compiled_steps(const std::vector<Step>& steps, int compute_capability,
                                       const SourceLookup& sources,
                                       const std::function<bool(const Step&)>& go_on = {});

}  // namespace warpscope
