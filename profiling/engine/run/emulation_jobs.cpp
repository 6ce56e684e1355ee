// profiling/engine/run/emulation_jobs.cpp: what an emulating engine answers beside traces: kernels
// as they are compiled, launches predicted, outputs of two variants.
#include <algorithm>
#include <map>
#include <utility>

#include "profiling/emulator/run/launch_limits.h"
#include "profiling/engine/compile/disassembly.h"
#include "profiling/engine/compile/resources.h"
#include "profiling/engine/run/emulation.h"
#include "profiling/points/occupancy.h"
#include "profiling/points/point.h"
#include "profiling/session/remedy.h"
#include "scenes/base/texts/code_id.h"
#include "scenes/host/build_stamp.h"
#include "scenes/host/clock.h"

namespace warpscope {
namespace {

std::optional<std::string> no_library(std::string_view) { return std::nullopt; }

std::vector<int> architectures_of(const RegistersJob& asked) {
  if (!asked.architectures.empty()) return asked.architectures;
  return {std::begin(kUsualArchitectures), std::end(kUsualArchitectures)};
}

// Kernels to be compiled, each text once: machine code for the emulated architecture has PTX of the
// same text beside it.
class WantedKernels {
 public:
  void add(const KernelLaunch& kernel, int architecture, bool ptx, const SourceLookup& lookup) {
    const CompileRequest request = request_for(kernel, architecture);
    const auto [found, fresh] = places_.try_emplace(request, wanted_.size());
    if (!fresh) {
      wanted_[found->second].ptx = wanted_[found->second].ptx && ptx;
    } else if (auto sources = lookup(request.source)) {
      wanted_.push_back({request, std::move(*sources), ptx});
    } else {
      places_.erase(found);
    }
  }
  std::vector<CompileAhead::Wanted> take() { return std::move(wanted_); }

 private:
  std::vector<CompileAhead::Wanted> wanted_;
  std::map<CompileRequest, std::size_t> places_;
};

// The architectures whose machine code a job asks for, and whether it asks for PTX.
struct AskedCode {
  std::vector<int> architectures;
  bool ptx = false;
};
AskedCode code_asked(const Job& job) {
  if (const auto* asked = job.as<RegistersJob>()) return {architectures_of(*asked), false};
  if (const auto* asked = job.as<TraceJob>(); asked && asked->code != TracedCode::ptx)
    return {{kEmulatedArchitecture}, false};
  return {{}, job.is<TraceJob>() || job.is<VerifyJob>()};
}

}  // namespace

void Emulation::compile_next(const Job& job, const Scene& scene, const JobChannel& channel) {
  constexpr std::size_t kMostJobs = 256;
  if (job.job <= ahead_until_) return;
  const Workload& here = stage_.workload();
  const std::string problem = problem_key(scene.axes, here.axes);
  std::vector<Job> jobs = channel.next(kMostJobs);
  jobs.insert(jobs.begin(), job);
  WantedKernels wanted;
  for (const Job& next : jobs) {
    if (next.scene != job.scene || next.scene_text != job.scene_text || next.user) continue;
    const Variant* const variant = find_variant(scene, next.variant);
    const Result<Configuration> axes = configured(scene, next.variant, next.axes);
    if (variant == nullptr || !axes || problem_key(scene.axes, *axes) != problem) continue;
    ahead_until_ = next.job;
    const Workload workload{*axes, here.facts, here.late};
    const AskedCode asked = code_asked(next);
    const SourceLookup lookup = with_own_sources(sources_among(next.sources));
    std::vector<int> architectures = asked.architectures;
    if (asked.ptx) architectures.push_back(kEmulatedArchitecture);
    for (std::size_t i = 0; i < architectures.size(); ++i) {
      const DeviceLimits device = limits_of_architecture(architectures[i]);
      if (!applies(*variant, *axes) || unavailable(*variant, workload, device)) continue;
      for (const Step& step : variant->steps(workload)) {
        const auto* kernel = std::get_if<KernelLaunch>(&step.action);
        if (kernel == nullptr) continue;
        wanted.add(*kernel, architectures[i], i >= asked.architectures.size(), lookup);
      }
    }
  }
  ahead_.want(wanted.take());
}

Result<void> Emulation::compile(const Job& job, const RegistersJob& asked, const Variant& variant,
                                const JobChannel& channel, const std::string& key) {
  const Result<std::string> toolkit = nvrtc_version();
  if (!toolkit) return tl::unexpected(toolkit.error());
  const Workload& workload = stage_.workload();
  const std::vector<int> architectures = architectures_of(asked);
  for (std::size_t i = 0; i < architectures.size(); ++i) {
    Compilation made;
    made.job = job.job;
    made.point = {job.scene, job.variant, key, "", ""};
    made.axes = workload.axes;
    made.facts = workload.facts;  // sizes and steps ask for no others
    made.compute_capability = architectures[i];
    made.toolkit = *toolkit;
    const DeviceLimits device = limits_of_architecture(architectures[i]);
    // A variant whose rule speaks of the device may have no steps there.
    if (const auto reason = unavailable(variant, workload, device)) {
      made.refusal = *reason;
      channel.send(std::move(made));
      continue;
    }
    const std::vector<Step> steps = variant.steps(workload);
    if (const auto id = code_id(steps, stage_.sources(), no_library))
      made.point.code_id = id->value_or("");
    const double done = static_cast<double>(i) / static_cast<double>(architectures.size());
    made.steps = compiled_steps(steps, architectures[i], stage_.sources(), [&](const Step& step) {
      channel.send(Progress{
          job.job, done, "compiling " + step.name + " for " + architecture_name(architectures[i])});
      channel.host_work(kHostWorkLimitS);
      return !channel.interrupted || !channel.interrupted();
    });
    if (channel.interrupted && channel.interrupted()) return {};
    channel.send(std::move(made));
  }
  return {};
}

Result<void> Emulation::list(const Job& job, const ListingJob& asked, const Variant& variant,
                             const JobChannel& channel, const std::string& key) {
  const std::vector<Step> steps = variant.steps(stage_.workload());
  for (const Step& step : steps) {
    const auto* kernel = std::get_if<KernelLaunch>(&step.action);
    if (kernel == nullptr || (!asked.step.empty() && step.name != asked.step)) continue;
    const int architecture = asked.architectures.empty() ? 0 : asked.architectures.front();
    channel.send(
        Progress{job.job, 0,
                 (architecture == 0 ? "compiling " : "compiling and disassembling ") + step.name});
    channel.host_work(kHostWorkLimitS);
    Result<Listing> listing =
        listing_of_kernel(*kernel, architecture, stage_.sources(), channel.interrupted);
    if (channel.interrupted && channel.interrupted()) return {};
    if (!listing) return tl::unexpected(listing.error());
    listing->job = job.job;
    listing->point = {job.scene, job.variant, key, "", ""};
    listing->step = step.name;
    channel.send(std::move(*listing));
    return {};
  }
  return failure(ErrorKind::usage, "the variant has no such kernel",
                 job.variant + (asked.step.empty() ? "" : ", step " + asked.step),
                 "choose one of its kernel steps");
}

std::optional<Verdict> Emulation::predict_launches(const Scene& scene, const Variant& variant,
                                                   Measurement& m, const JobChannel& channel) {
  const Workload& workload = stage_.workload();
  const std::vector<Step> steps = variant.steps(workload);
  const DeviceLimits device = limits_of_architecture(kEmulatedArchitecture);
  channel.host_work(kHostWorkLimitS);
  // The compiler gives a thread no more registers than the threads that it was promised leave it.
  const bool in_doubt = std::any_of(steps.begin(), steps.end(), [&](const Step& step) {
    const auto* kernel = std::get_if<KernelLaunch>(&step.action);
    if (kernel == nullptr) return false;
    const Dim3& block = kernel->launch.block;
    const std::int64_t threads = block.x * block.y * block.z;
    return kernel->launch.dynamic_shared_bytes > device.shared_bytes_per_block ||
           (threads > kThreadsOfAnyKernel && stage_.promised_threads(*kernel) < threads);
  });
  if (!in_doubt) return std::nullopt;
  std::vector<StepRecord> compiled = compiled_steps(steps, kEmulatedArchitecture, stage_.sources());
  auto verdict = launch_verdict(scene, variant, workload, compiled, device);
  if (verdict) m.steps = std::move(compiled);
  return verdict;
}

Result<RunOutputs> Emulation::run_for_outputs(const Scene& scene, const Variant& variant,
                                              const Configuration& axes,
                                              const JobChannel& channel) {
  RunOutputs outputs;
  channel.host_work(kHostWorkLimitS);
  if (Result<void> set = stage_.set(scene, axes); !set) return tl::unexpected(set.error());
  const Workload& workload = stage_.workload();
  if (scene.nothing_to_do) {
    if (const auto reason = scene.nothing_to_do(workload)) {
      outputs.refusal = *reason;
      return outputs;
    }
  }
  if (const auto reason = unavailable(variant, workload, DeviceLimits{})) {
    outputs.refusal = *reason;
    return outputs;
  }
  if (const auto id = code_id(variant.steps(workload), stage_.sources(), no_library))
    outputs.code_id = id->value_or("");
  Measurement unused;
  if (auto refused = predict_launches(scene, variant, unused, channel)) {
    outputs.refusal = refused->sentence;
    outputs.verdict = std::move(*refused);
    return outputs;
  }
  EmulatedStage::View view;
  view.sums = false;
  view.cancelled = channel.interrupted;
  const Result<EmulatedStage::Run> run = stage_.run(variant, view);
  if (!run) {
    outputs.refusal = sentence(run.error());
    return outputs;
  }
  if (run->cancelled) {
    outputs.refusal = "cancelled";
    return outputs;
  }
  if (!run->faults.empty()) {
    outputs.refusal = run->faults.front().sentence;
    return outputs;
  }
  Result<Verdict> verdict = stage_.check(variant);
  if (!verdict) return tl::unexpected(verdict.error());
  outputs.verdict = std::move(*verdict);
  for (BufferSpec& spec : output_buffers(scene, workload)) {
    const std::span<const std::byte> bytes = stage_.bytes_of(spec.name);
    outputs.outputs.push_back({std::move(spec), {bytes.begin(), bytes.end()}});
  }
  return outputs;
}

Result<void> Emulation::hold_outputs(const Job& job, const Scene& scene,
                                     const JobChannel& channel) {
  Conditions conditions;
  conditions.device = "emulator";
  conditions.toolkit = nvrtc_version().value_or("");
  conditions.build = build_stamp();
  conditions.date = now_utc();
  Result<OutputPair> pair =
      pair_of_runs(job, scene, conditions, [&](const Variant& variant, const Configuration& axes) {
        channel.send(Progress{job.job, variant.name == job.variant ? 0.0 : 0.5,
                              "emulating " + variant.name});
        return run_for_outputs(scene, variant, axes, channel);
      });
  if (!pair) return tl::unexpected(pair.error());
  if (channel.interrupted && channel.interrupted()) return {};
  channel.send(std::move(*pair));
  return {};
}

}  // namespace warpscope
