// profiling/engine/run/emulation.cpp: trace and verify jobs, answered by the emulator.
#include "profiling/engine/run/emulation.h"

#include <unistd.h>

#include <algorithm>

#include "profiling/engine/compile/disassembly.h"
#include "profiling/engine/compile/entry_names.h"
#include "profiling/engine/run/another_operation.h"
#include "profiling/engine/run/emulated/host_functions.h"
#include "profiling/engine/run/files/user_kernels.h"
#include "profiling/engine/run/job_scene.h"
#include "profiling/points/point.h"
#include "profiling/points/run_outcomes.h"
#include "profiling/steps/planned_steps.h"
#include "scenes/base/source.h"
#include "scenes/base/texts/code_id.h"
#include "scenes/base/texts/machine_code.h"
#include "scenes/base/user_argument.h"
#include "scenes/catalogue.h"
#include "scenes/folder/form/description_edits.h"
#include "scenes/host/build_stamp.h"
#include "scenes/host/clock.h"
#include "scenes/host/random.h"

namespace warpscope {
namespace {

Verdict verdict_of(const Error& error) {
  Verdict verdict;
  verdict.outcome = error.kind == ErrorKind::input      ? Outcome::compile_failed
                    : error.kind == ErrorKind::resource ? Outcome::out_of_memory
                                                        : Outcome::cannot_run;
  verdict.sentence = error.where.empty() ? error.what : error.where + ": " + error.what;
  verdict.remedy = error.remedy;
  return verdict;
}

// The first fault, and how many there are; of one that is a hang its story, where there is one.
Verdict verdict_of(const std::vector<Fault>& faults, const std::string& hang) {
  std::int64_t count = 0;
  for (const Fault& fault : faults) count += fault.count;
  Verdict verdict;
  const Fault& first = faults.front();
  verdict.outcome = first.kind == FaultKind::budget || first.kind == FaultKind::deadlock ||
                            first.kind == FaultKind::endless_loop
                        ? Outcome::timed_out
                        : Outcome::faulted;
  verdict.sentence = first.sentence;
  const bool hangs = first.kind == FaultKind::deadlock || first.kind == FaultKind::endless_loop;
  if (hangs && !hang.empty()) {
    verdict.sentence = hang;
  } else if (count > 1) {
    verdict.sentence += " (" + std::to_string(count) + " faults in total)";
  }
  verdict.remedy = "correct the kernel at the line named";
  if (first.kind == FaultKind::budget) {
    verdict.remedy =
        "look for a loop that never ends, choose smaller sizes, or raise the limit with --limit";
  }
  if (first.kind == FaultKind::unsupported) {
    verdict.outcome = Outcome::cannot_run;
    verdict.remedy =
        "run it on a GPU, or rewrite that line with instructions that the emulator knows";
  }
  return verdict;
}

bool is_emulated(const Job& job) {
  return job.is<TraceJob>() || job.is<VerifyJob>() || job.is<RegistersJob>() ||
         job.is<OutputsJob>() || job.is<ListingJob>();
}

}  // namespace

Hello emulation_hello() {
  Hello hello;
  hello.role = "emulate";
  hello.build = build_stamp();
  hello.process = ::getpid();
  hello.date = now_utc();
  const Result<std::string> nvrtc = nvrtc_version();
  hello.toolkit = nvrtc.value_or("");
  Capability capability{"emulator", nvrtc.has_value(), hello.toolkit};
  if (!nvrtc) {
    capability.reason = nvrtc.error().what;
    capability.remedy = nvrtc.error().remedy;
  }
  Capability disassembler{"disassembler", true, "nvdisasm"};
  if (const Result<std::string> program = find_disassembler(); !program) {
    disassembler.available = false;
    disassembler.reason = program.error().what;
    disassembler.remedy = program.error().remedy;
  }
  hello.capabilities = {capability, disassembler};
  return hello;
}

namespace {

// Why a variant is not emulated here; no value: it is.
std::optional<Error> refusal_of(const Variant& variant, const Workload& workload) {
  if (const auto reason = unavailable(variant, workload, DeviceLimits{}))
    return Error{ErrorKind::usage, *reason, "", "choose a configuration that it can run"};
  for (const Step& step : variant.steps(workload)) {
    const auto* kernel = std::get_if<KernelLaunch>(&step.action);
    if (kernel == nullptr || !kernel->source.ends_with(kMachineCodeSuffix)) continue;
    if (const Result<std::string> program = find_disassembler(); !program)
      return Error{ErrorKind::usage,
                   "the capture has only machine code of the kernel, and there is no nvdisasm here",
                   "", program.error().remedy + ", or run it on a GPU: `warpscope measure`"};
  }
  return std::nullopt;
}

}  // namespace

Result<void> Emulation::run(const Job& job, const JobChannel& channel) {
  if (!is_emulated(job)) {
    return failure(ErrorKind::usage, "an emulating engine only traces, verifies and compiles",
                   "emulator", "send the job to an engine that measures");
  }
  stage_.use(with_own_sources(sources_among(job.sources)));
  stage_.limit_kernels(job.hang_limit_s);
  if (job.user) return run_user(job, channel);
  Result<const Scene*> scene = scene_of_job(catalogue_, job);
  if (!scene) return tl::unexpected(scene.error());
  if (job.is<OutputsJob>()) return hold_outputs(job, **scene, channel);
  Result<const Variant*> variant = find_variant_or_explain(**scene, job.variant);
  if (!variant) return tl::unexpected(variant.error());
  const Result<Configuration> axes = configured(**scene, job.variant, job.axes);
  if (!axes) return tl::unexpected(axes.error());
  const std::string key = configuration_key((*scene)->axes, *axes, job.variant);
  if ((*variant)->applies && !(*variant)->applies(*axes)) {
    return failure(ErrorKind::usage, kComputesAnother, job.variant,
                   remedy_of_another(**scene, **variant, *axes));
  }
  std::optional<HardCase> hard;
  EmulatedStage::Change change;
  if (const auto* checked = job.as<VerifyJob>(); checked && !checked->hard_case.empty()) {
    Result<HardCase> found = find_hard_case(**scene, checked->hard_case);
    if (!found) return tl::unexpected(found.error());
    hard = std::move(*found);
    if (hard->change) change = {hard->name, hard->change};
  }
  if (!stage_.holds(**scene, *axes, change.name)) {
    channel.send(Progress{job.job, 0, "making the inputs"});
    channel.host_work(kHostWorkLimitS);
    if (Result<void> set = stage_.set(**scene, *axes, change); !set) return set;
  }
  const Workload& workload = stage_.workload();
  if ((*scene)->nothing_to_do) {
    if (const auto reason = (*scene)->nothing_to_do(workload))
      return failure(ErrorKind::usage, *reason, job.variant, "choose larger sizes");
  }
  if (!is_live(job) && !job.first) compile_next(job, **scene, channel);
  if (const auto* asked = job.as<RegistersJob>())
    return compile(job, *asked, **variant, channel, key);
  if (const auto* asked = job.as<ListingJob>()) return list(job, *asked, **variant, channel, key);
  if (hard) return verify_hard(job, **scene, **variant, *hard, change, channel, key);
  if (const auto refusal = refusal_of(**variant, workload)) {
    if (job.is<VerifyJob>()) {
      Measurement m = verified(job, key);
      m.verdict = {Outcome::cannot_run, refusal->what, refusal->remedy};
      channel.send(m);
      return {};
    }
    return failure(ErrorKind::usage, refusal->what, job.variant, refusal->remedy);
  }
  channel.host_work(kHostWorkLimitS);
  if (const auto* asked = job.as<TraceJob>())
    return trace(
        {job, *asked, **scene, **variant, channel, key, (*variant)->steps(stage_.workload())});
  return verify(job, **scene, **variant, channel, key);
}

std::vector<std::string> Emulation::guessed_sizes_of(const Job& job) const {
  const auto text = catalogue_.text(job.scene, job.scene_text);
  if (text == nullptr) return {};
  std::vector<std::string> names = buffers_of_guessed_size(text->description);
  if (is_shared_size_guessed(text->description, job.variant))
    names.insert(names.end(), {kDynamicShared, kUnnamedShared});
  return names;
}

namespace {

// 0, 1, 2, … in the elements' type.
HostArray counted_array(const HostArray& like) {
  HostArray array(like.type(), like.count());
  UserArgument words;
  words.type = like.type();
  words.count = like.count();
  words.fill = "iota";
  fill_elements(words, RandomStream(0, 0), 0, array.bytes());
  return array;
}

bool goes_wrong(const EmulatedStage::Run& run) {
  return std::any_of(run.faults.begin(), run.faults.end(),
                     [](const Fault& fault) { return is_wrong(fault); }) ||
         std::any_of(run.traces.begin(), run.traces.end(),
                     [](const Trace& trace) { return is_wrong(trace); });
}

}  // namespace

Result<bool> Emulation::mark_contents(const Job& job, const Scene& scene, const Variant& variant,
                                      const EmulatedStage::View& view, EmulatedStage::Run& run) {
  const auto text = catalogue_.text(job.scene, job.scene_text);
  if (text == nullptr || !goes_wrong(run)) return false;
  const std::vector<std::string> guessed = buffers_of_guessed_content(text->description);
  if (guessed.empty()) return false;
  const Configuration axes = stage_.workload().axes;
  // Equal numbers would hide races: two threads may store the same value.
  const std::string numbers = "0, 1, 2, …";
  const EmulatedStage::Change change = {
      "guessed contents: " + numbers, [&guessed](const Workload&, Inputs& inputs) {
        for (const std::string& name : guessed) {
          if (const auto input = inputs.find(name); input != inputs.end())
            input->second = counted_array(input->second);
        }
      }};
  if (Result<void> set = stage_.set(scene, axes, change); !set) return tl::unexpected(set.error());
  const Result<EmulatedStage::Run> other = stage_.run(variant, view);
  if (other && !other->cancelled && other->traces.size() == run.traces.size()) {
    mark_guessed_contents(run.faults, other->faults, numbers, guessed);
    for (std::size_t i = 0; i < run.traces.size(); ++i)
      mark_guessed_contents(run.traces[i].faults, other->traces[i].faults, numbers, guessed);
  }
  if (Result<void> set = stage_.set(scene, axes); !set) return tl::unexpected(set.error());
  return true;
}

Result<void> Emulation::run_user(const Job& job, const JobChannel& channel) {
  Result<std::vector<KernelSource>> sources = stage_.sources()(job.user->path);
  if (!sources) return tl::unexpected(sources.error());
  // PTX includes nothing, and comes with the texts that its .file lines name.
  if (is_ptx(sources->front().text)) {
    for (const KernelSource& text : job.sources)
      if (text.path != job.user->path) sources->push_back(text);
  }
  if (const auto* asked = job.as<TraceJob>()) return trace_user(job, *asked, *sources, channel);
  if (job.is<ListingJob>()) return list_user(job, *sources, channel);
  return failure(ErrorKind::usage, "a file of your own is only traced and listed", job.user->path,
                 "send a trace job or a listing job");
}

Measurement Emulation::verified(const Job& job, const std::string& key) const {
  Measurement m;
  m.job = job.job;
  m.scene = job.scene;
  m.variant = job.variant;
  m.axes = stage_.workload().axes;
  m.key = key;
  m.problem = problem_of(m);
  m.facts = stage_.facts();
  m.conditions.device = "emulator";
  m.conditions.toolkit = nvrtc_version().value_or("");
  m.conditions.build = build_stamp();
  m.conditions.date = now_utc();
  return m;
}

Result<bool> Emulation::hold_to_reference(const Job& job, const Scene& scene,
                                          const Variant& variant, const HardCase* hard,
                                          const JobChannel& channel, Measurement& m) {
  if (auto refused = predict_launches(scene, variant, m, channel)) {
    m.verdict = std::move(*refused);
    return true;
  }
  EmulatedStage::View view;
  view.sums = false;
  view.keeps_variables = hard != nullptr && hard->behind.has_value();
  view.cancelled = channel.interrupted;
  view.compiles = [&] { channel.host_work(kHostWorkLimitS); };
  view.progress = [&](double ratio, const std::string& text) {
    channel.send(Progress{job.job, ratio, text});
  };
  std::optional<std::vector<std::int64_t>> elements;
  if (hard != nullptr && hard->elements) {
    view.sparse = true;
    view.blocks = hard->blocks;
    elements = hard->elements(stage_.workload(), stage_.inputs());
  }
  Result<EmulatedStage::Run> run = stage_.run(variant, view);
  if (run && run->cancelled) return false;
  if (run) mark_guessed_sizes(run->faults, guessed_sizes_of(job));
  if (run) {
    const Result<bool> again = mark_contents(job, scene, variant, view, *run);
    if (!again) return tl::unexpected(again.error());
    std::stable_partition(run->faults.begin(), run->faults.end(),
                          [](const Fault& fault) { return !is_of_a_guess(fault); });
    // The outputs are those of other numbers.
    if (*again && std::all_of(run->faults.begin(), run->faults.end(), is_of_a_guess)) {
      if (Result<EmulatedStage::Run> last = stage_.run(variant, view); !last)
        return tl::unexpected(last.error());
    }
  }
  if (!run || std::any_of(run->faults.begin(), run->faults.end(),
                          [](const Fault& fault) { return !is_of_a_guess(fault); })) {
    m.verdict = run ? verdict_of(run->faults, run->hang) : verdict_of(run.error());
    return true;
  }
  Result<Verdict> verdict = stage_.check(variant, elements);
  if (!verdict) return tl::unexpected(verdict.error());
  m.verdict = std::move(*verdict);
  if (m.verdict.outcome == Outcome::wrong && !run->approximation.empty() &&
      tolerance_of(variant, stage_.workload().axes).bit_exact)
    m.verdict.sentence += "; " + why_bits_may_differ(run->approximation);
  // All of them are of guesses.
  if (!run->faults.empty()) m.verdict.sentence += "; " + run->faults.front().sentence;
  if (hard != nullptr) return true;
  if (run->faults.empty() && m.verdict.outcome == Outcome::no_reference)
    m.verdict.sentence = "no fault or race found; " + m.verdict.sentence;
  Result<std::vector<ReportedError>> reported = stage_.report(variant);
  if (!reported) return tl::unexpected(reported.error());
  m.reported = std::move(*reported);
  return true;
}

Result<void> Emulation::verify(const Job& job, const Scene& scene, const Variant& variant,
                               const JobChannel& channel, const std::string& key) {
  Measurement m = verified(job, key);
  const std::vector<Step> steps = variant.steps(stage_.workload());
  // A library call is not emulated: the verdict says so, whatever its version.
  const auto id = code_id(steps, stage_.sources(), [](std::string_view) { return std::nullopt; });
  if (id) m.conditions.code_id = id->value_or("");
  for (const Step& step : steps) {
    const auto* kernel = std::get_if<KernelLaunch>(&step.action);
    if (kernel == nullptr) continue;
    StepRecord record = planned_record(step);
    const Result<std::vector<KernelSource>> sources = stage_.sources()(kernel->source);
    if (sources) record.text_hash = text_hash_of(*sources);
    m.steps.push_back(std::move(record));
  }
  const Result<bool> held = hold_to_reference(job, scene, variant, nullptr, channel, m);
  if (!held) return tl::unexpected(held.error());
  if (!*held) return {};
  if (m.verdict.outcome == Outcome::launch_failed) {
    channel.send(m);
    return {};
  }
  RunOutcomes outcomes = outcomes_of(
      scene, stage_.workload(), m, [&](const std::string& name) -> Result<std::vector<std::byte>> {
        if (!stage_.holds_buffer(name))
          return failure(ErrorKind::usage, "there is no buffer of this name here", name);
        const std::span<const std::byte> bytes = stage_.bytes_of(name);
        return std::vector<std::byte>(bytes.begin(), bytes.end());
      });
  for (Series& series : outcomes.series) channel.send(std::move(series));
  for (Picture& picture : outcomes.pictures) channel.send(std::move(picture));
  for (const std::string& missing : outcomes.missing)
    channel.send(LogLine{"warning", missing, job.job});
  channel.send(m);
  return {};
}

}  // namespace warpscope
