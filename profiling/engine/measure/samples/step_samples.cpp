// profiling/engine/measure/samples/step_samples.cpp: where the warps of a bound variant's kernels
// wait, step by step.
#include "profiling/engine/measure/samples/step_samples.h"

#include <algorithm>
#include <chrono>

#include "profiling/engine/measure/variant_times.h"
#include "scenes/host/clock.h"

namespace warpscope {
namespace {

void explain(StepRecord& record, const std::string& reason, const std::string& remedy) {
  record.samples = {};
  record.samples.missing = {
      {std::string(kStallSampleSet), std::nullopt, Origin::measured, reason, remedy}};
}

class StepSampling {
 public:
  StepSampling(MeasuringTools& tools, Stage& stage, const Stage::Bound& bound)
      : tools_(tools), stage_(stage), bound_(bound) {}

  Result<StallSamples> of(std::size_t at, const std::function<bool()>& go_on) {
    const BoundStep& step = bound_.run[at];
    StallSampler::Runs runs;
    runs.launch = [&] { return step.run(tools_.device->stream()); };
    runs.wait = [&] { return tools_.device->synchronise(step.step().name); };
    // A step that changes what it reads must find what it finds in a whole run.
    if (at > 0 || has_states()) runs.before = [this, at] { return ready(at); };
    runs.go_on = go_on;
    const Result<double> ns = run_ns(runs);
    if (!ns) return tl::unexpected(ns.error());
    runs.run_ns = *ns;
    return tools_.sampler->collect(step.kernel(), runs);
  }

 private:
  bool has_states() const {
    const std::vector<BufferSpec> specs = stage_.scene().buffers(stage_.workload());
    return std::any_of(specs.begin(), specs.end(),
                       [](const BufferSpec& spec) { return spec.role == BufferRole::state; });
  }

  Result<void> ready(std::size_t at) {
    return run_before(stage_, bound_, at, tools_.device->stream()).and_then([&] {
      return tools_.device->synchronise("before samples");
    });
  }

  // The shorter of two runs by the host's clock: it only decides on the period.
  static Result<double> run_ns(const StallSampler::Runs& runs) {
    double shortest_ns = 0;
    for (int k = 0; k < 2; ++k) {
      if (runs.before) {
        if (Result<void> done = runs.before(); !done) return tl::unexpected(done.error());
      }
      const auto start = std::chrono::steady_clock::now();
      if (Result<void> done = runs.launch().and_then(runs.wait); !done)
        return tl::unexpected(done.error());
      constexpr double kNsPerMs = 1e6;
      const double ns = milliseconds_since(start) * kNsPerMs;
      shortest_ns = k == 0 ? ns : std::min(shortest_ns, ns);
    }
    return shortest_ns;
  }

  MeasuringTools& tools_;
  Stage& stage_;
  const Stage::Bound& bound_;
};

}  // namespace

Result<void> sample_steps(MeasuringTools& tools, Stage& stage, const Job& job,
                          const JobChannel& channel, Stage::Bound& bound, Measurement& m) {
  std::optional<Error> kept_from;  // why no step from here on has samples
  if (!tools.sampler) {
    kept_from = Error{ErrorKind::environment, tools.samples_capability.reason, "samples",
                      tools.samples_capability.remedy};
  }
  StepSampling sampling(tools, stage, bound);
  for (std::size_t at = 0; at < bound.run.size(); ++at) {
    const BoundStep& step = bound.run[at];
    StepRecord* const record = record_named(m, step.step().name);
    if (record == nullptr) continue;
    if (step.is_library()) explain(*record, "the kernels of a library come without source", "");
    if (!std::holds_alternative<KernelLaunch>(step.step().action)) continue;
    if (!kept_from) {
      channel.send(Progress{job.job,
                            static_cast<double>(at) / static_cast<double>(bound.run.size()),
                            "samples: " + step.step().name});
      Result<StallSamples> samples = sampling.of(at, [&] { return !channel.interrupted(); });
      if (samples) {
        record->samples = std::move(*samples);
        record->samples.multiprocessors = tools.device->description().multiprocessors;
        continue;
      }
      if (samples.error().kind == ErrorKind::fault || samples.error().what == "cancelled")
        return tl::unexpected(samples.error());
      kept_from = samples.error();
    }
    explain(*record, kept_from->where + ": " + kept_from->what, kept_from->remedy);
  }
  return {};
}

}  // namespace warpscope
