// profiling/engine/run/outputs_job.cpp: two variants run at one configuration, and their outputs
// compared with each other.
#include "profiling/engine/run/outputs_job.h"

#include <utility>

#include "profiling/engine/run/another_operation.h"
#include "scenes/catalogue.h"

namespace warpscope {

std::vector<BufferSpec> output_buffers(const Scene& scene, const Workload& workload) {
  std::vector<BufferSpec> outputs;
  for (BufferSpec& spec : scene.buffers(workload)) {
    if (spec.role == BufferRole::output) outputs.push_back(std::move(spec));
  }
  return outputs;
}

Result<OutputPair> pair_of_runs(const Job& job, const Scene& scene, const Conditions& conditions,
                                const RunForOutputs& run) {
  OutputPair pair;
  pair.job = job.job;
  pair.conditions = conditions;
  struct Side {
    const std::string& name;
    PointId& id;
    Verdict& verdict;
    std::vector<StoredOutput> outputs;
  };
  const OutputsJob& asked = std::get<OutputsJob>(job.work);
  Side sides[] = {{job.variant, pair.first, pair.first_verdict, {}},
                  {asked.other, pair.second, pair.second_verdict, {}}};
  for (Side& side : sides) {
    const Result<const Variant*> variant = find_variant_or_explain(scene, side.name);
    if (!variant) return tl::unexpected(variant.error());
    const Result<Configuration> axes = configured(scene, side.name, job.axes);
    if (!axes) return tl::unexpected(axes.error());
    side.id = {scene.name, side.name, configuration_key(scene.axes, *axes, side.name), "",
               device_of(conditions).id()};
    if (!applies(**variant, *axes)) {
      return failure(ErrorKind::usage, kComputesAnother, side.name,
                     remedy_of_another(scene, **variant, *axes));
    }
    Result<RunOutputs> ran = run(**variant, *axes);
    if (!ran) return tl::unexpected(ran.error());
    side.id.code_id = std::move(ran->code_id);
    side.verdict = std::move(ran->verdict);
    if (!ran->refusal.empty()) {
      pair.refusal = side.name + ": " + ran->refusal;
      return pair;
    }
    side.outputs = std::move(ran->outputs);
  }
  pair.outputs = output_differences(sides[0].outputs, sides[1].outputs);
  if (pair.outputs.empty()) pair.refusal = "the two have no output with the same type and size";
  return pair;
}

}  // namespace warpscope
