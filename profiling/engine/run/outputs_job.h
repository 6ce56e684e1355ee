// profiling/engine/run/outputs_job.h: runs two variants at one configuration and compares their
// outputs.
#pragma once

#include <functional>

#include "profiling/messages/protocol.h"
#include "profiling/points/output_pair.h"

namespace warpscope {

// What a run of one variant left; of one that did not run to its end only why.
struct RunOutputs {
  std::string code_id;
  Verdict verdict;  // against its own reference
  std::string refusal;
  std::vector<StoredOutput> outputs;
};
// Runs a variant at its configuration, in place of the run before it. error: what keeps the job
// from being done.
using RunForOutputs = std::function<Result<RunOutputs>(const Variant&, const Configuration&)>;

// Both variants of an outputs job. `conditions` name the device or the emulator. error: usage (no
// such variant, one that computes another operation, an axis), what `run` says.
Result<OutputPair> pair_of_runs(const Job& job, const Scene& scene, const Conditions& conditions,
                                const RunForOutputs& run);

// The outputs of a scene at a workload.
std::vector<BufferSpec> output_buffers(const Scene& scene, const Workload& workload);

}  // namespace warpscope
