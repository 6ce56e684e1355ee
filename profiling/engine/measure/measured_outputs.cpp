// profiling/engine/measure/measured_outputs.cpp: compares the outputs of two variants on the
// device.
#include <utility>

#include "profiling/engine/measure/measurer.h"
#include "profiling/engine/run/job_scene.h"

namespace warpscope {

Result<RunOutputs> Measurer::run_for_outputs(const Job& job, const Scene& scene,
                                             const Variant& variant, const Configuration& axes,
                                             const JobChannel& channel) {
  RunOutputs outputs;
  channel.host_work(kHostWorkLimitS);
  if (Result<void> set = stage_->set(scene, axes); !set) return tl::unexpected(set.error());
  const Workload& workload = stage_->workload();
  if (scene.nothing_to_do) {
    if (const auto reason = scene.nothing_to_do(workload)) {
      outputs.refusal = *reason;
      return outputs;
    }
  }
  if (const auto reason = unavailable(variant, workload, tools_->device->limits())) {
    outputs.refusal = *reason;
    return outputs;
  }
  outputs.code_id = stage_->code_id(variant);
  Measurement m = begun(job, scene, axes);
  // A fault loses the context and ends the job; anything else is why this variant left no output.
  const auto refused = [&](const Error& error) -> Result<RunOutputs> {
    if (error.kind == ErrorKind::fault) return tl::unexpected(error);
    outputs.refusal = sentence(error);
    return outputs;
  };
  Result<Stage::Bound> bound = stage_->bind(variant);
  if (!bound) return refused(bound.error());
  static_cast<void>(channel.interrupted());  // from here the device works: the job's limit holds
  if (Result<void> ran =
          stage_->note_inputs().and_then([&] { return prepare(*bound, m); }).and_then([&] {
            return checked_run(variant, *bound, m);
          });
      !ran)
    return refused(ran.error());
  outputs.verdict = std::move(m.verdict);
  for (BufferSpec& spec : output_buffers(scene, workload)) {
    Result<std::vector<std::byte>> bytes = stage_->bytes_of(*bound, spec.name);
    if (!bytes) return tl::unexpected(bytes.error());
    outputs.outputs.push_back({std::move(spec), std::move(*bytes)});
  }
  return outputs;
}

Result<void> Measurer::hold_outputs(const Job& job, const JobChannel& channel) {
  Result<const Scene*> scene = scene_of_job(catalogue_, job);
  if (!scene) return tl::unexpected(scene.error());
  Result<OutputPair> pair = pair_of_runs(
      job, **scene, tools_->conditions(), [&](const Variant& variant, const Configuration& axes) {
        channel.send(
            Progress{job.job, variant.name == job.variant ? 0.0 : 0.5, "running " + variant.name});
        return run_for_outputs(job, **scene, variant, axes, channel);
      });
  if (!pair) return tl::unexpected(pair.error());
  channel.send(std::move(*pair));
  return {};
}

}  // namespace warpscope
