// profiling/engine/measure/variant_run.cpp: a variant at a configuration: prepared, checked, timed
// and counted, and what is sent where one of these fails.
#include <algorithm>
#include <chrono>
#include <set>

#include "profiling/engine/compile/resources.h"
#include "profiling/engine/cuda/nvtx.h"
#include "profiling/engine/measure/measurer.h"
#include "profiling/engine/measure/samples/step_samples.h"
#include "profiling/engine/measure/variant_counters.h"
#include "profiling/engine/measure/variant_times.h"
#include "profiling/engine/measure/warps/step_warps.h"
#include "profiling/engine/run/another_operation.h"
#include "profiling/engine/run/job_scene.h"
#include "profiling/points/derive.h"
#include "profiling/points/run_outcomes.h"
#include "profiling/session/remedy.h"
#include "scenes/base/texts/code_id.h"

namespace warpscope {
namespace {

// An error of a variant as the verdict that the window shows.
Verdict verdict_of(const Error& error) {
  Verdict verdict;
  verdict.sentence = error.where.empty() ? error.what : error.where + ": " + error.what;
  verdict.remedy = error.remedy;
  switch (error.kind) {
    case ErrorKind::fault:
      verdict.outcome = Outcome::faulted;
      break;
    case ErrorKind::resource:
      verdict.outcome = Outcome::out_of_memory;
      break;
    case ErrorKind::input:
      verdict.outcome = Outcome::compile_failed;
      break;
    case ErrorKind::usage:
      verdict.outcome = Outcome::launch_failed;
      break;
    default:
      verdict.outcome = Outcome::cannot_run;
  }
  return verdict;
}

// Why a variant does not compute what is asked for, and which axis to set for it to.
Verdict computes_another(const Scene& scene, const Variant& variant, const Configuration& axes) {
  return {Outcome::cannot_run, kComputesAnother, remedy_of_another(scene, variant, axes)};
}

// What a library's call took, by the step's name where there are several.
void note_choice(Measurement& m, const std::string& step, const std::string& choice) {
  if (choice.empty()) return;
  if (!m.choice.empty()) m.choice += "; ";
  m.choice += (step.empty() ? "" : step + ": ") + choice;
}

}  // namespace

// Before anything of the job has run.
Measurement Measurer::begun(const Job& job, const Scene& scene, const Configuration& axes) const {
  Measurement m;
  m.job = job.job;
  m.scene = job.scene;
  m.variant = job.variant;
  m.axes = axes;
  m.key = configuration_key(scene.axes, axes, job.variant);
  m.problem = problem_key(scene.axes, axes);
  m.counters = counters_of(job);
  m.conditions = tools_->conditions();
  m.catalogue = catalogue_.shared();
  return m;
}

Result<void> Measurer::answer(const JobChannel& channel, Measurement& m, Verdict verdict) {
  m.verdict = std::move(verdict);
  m.cold.reset();
  m.warm.reset();
  if (m.verdict.outcome == Outcome::launch_failed) m.prepare_ns.reset();  // nothing of it ran
  derive_metrics(m);
  channel.send(m);
  return {};
}

Result<void> Measurer::answer_error(const JobChannel& channel, Measurement& m, const Error& error) {
  static_cast<void>(answer(channel, m, verdict_of(error)));
  return error.kind == ErrorKind::fault || error.kind == ErrorKind::internal ? tl::unexpected(error)
                                                                             : Result<void>{};
}

Result<void> Measurer::measure(const Job& job, const JobChannel& channel) {
  Result<const Scene*> scene = scene_of_job(catalogue_, job);
  if (!scene) return tl::unexpected(scene.error());
  Result<const Variant*> variant = find_variant_or_explain(**scene, job.variant);
  if (!variant) return tl::unexpected(variant.error());
  const Result<Configuration> axes = configured(**scene, job.variant, job.axes);
  if (!axes) return tl::unexpected(axes.error());
  Measurement m = begun(job, **scene, *axes);
  if (!applies(**variant, *axes))
    return answer(channel, m, computes_another(**scene, **variant, *axes));
  if (!stage_->holds(**scene, *axes)) channel.send(Progress{job.job, 0, "making the inputs"});
  channel.host_work(kHostWorkLimitS);
  if (Result<void> set = stage_->set(**scene, *axes); !set) {
    if (set.error().kind == ErrorKind::fault) return answer_error(channel, m, set.error());
    if (set.error().kind == ErrorKind::resource) return answer(channel, m, verdict_of(set.error()));
    return set;  // a configuration that nobody can run: the job fails, not the variant
  }
  const Workload& workload = stage_->workload();
  m.facts = workload.facts;
  if ((*scene)->nothing_to_do) {
    if (const auto reason = (*scene)->nothing_to_do(workload))
      return answer(channel, m, {Outcome::nothing_to_do, *reason, ""});
  }
  const Result<std::optional<RowChoice>> choice = choose(job, channel, **variant, m);
  if (!choice) return tl::unexpected(choice.error());
  if (!*choice) return {};
  const Variant& runs = (*choice)->instead ? *(*choice)->instead : **variant;
  if (const auto reason = unavailable(runs, workload, tools_->device->limits())) {
    return answer(channel, m,
                  {Outcome::cannot_run, *reason, "choose a configuration that it can run"});
  }
  return measure_on_stage(job, channel, runs, m);
}

Result<std::optional<RowChoice>> Measurer::choose(const Job& job, const JobChannel& channel,
                                                  const Variant& automatic, Measurement& m) {
  const auto* asked = job.as<MeasureJob>();
  RowQuestion question{stage_->scene(), automatic, stage_->workload()};
  question.model = built_in_choice(question.scene.name);
  if (asked != nullptr) question.by = asked->choose;
  question.live = asked != nullptr && asked->live;
  question.may_time = asked != nullptr && tools_->use != ProfilerUse::samples;
  question.device = m.conditions.device;
  question.driver = m.conditions.driver;
  question.limits = tools_->device->limits();
  question.code_id = [this](const Variant& row) { return stage_->code_id(row); };
  const CacheState cache =
      question.model != nullptr && question.model->cold ? CacheState::cold : CacheState::warm;
  Result<RowChoice> choice = choose_row(
      question, choices_,
      [&](const ChosenRow&, const Variant& row) { return try_row(job, channel, row, cache, m); });
  for (const std::string& note : choices_.take_notes())
    channel.send(LogLine{"warning", note, job.job});
  if (!choice) {
    if (channel.interrupted()) {
      m.partial = true;
      return answer(channel, m, {Outcome::unchecked, "its candidates were not all timed", ""})
          .map([] { return std::optional<RowChoice>(); });
    }
    Error error = choice.error();
    if (error.kind == ErrorKind::fault)
      error.remedy = "run it again: this candidate is left out from now on";
    if (error.kind == ErrorKind::input)
      return answer(channel, m, {Outcome::cannot_run, error.what, error.remedy}).map([] {
        return std::optional<RowChoice>();
      });
    return answer_error(channel, m, error).map([] { return std::optional<RowChoice>(); });
  }
  m.picked = choice->picked;
  m.choice = choice->why;
  // A candidate that wrote into its inputs left others there.
  return stage_->set(stage_->scene(), m.axes).map([&] { return std::optional(*choice); });
}

Result<RowTrial> Measurer::try_row(const Job& job, const JobChannel& channel,
                                   const Variant& variant, CacheState cache,
                                   const Measurement& of) {
  constexpr double kMostSamplingS = 0.1;
  const auto cancelled = [] { return failure(ErrorKind::usage, "cancelled", "candidates"); };
  const auto left_out = [](const Error& error) -> Result<RowTrial> {
    if (error.kind == ErrorKind::fault || error.kind == ErrorKind::internal)
      return tl::unexpected(error);
    return RowTrial{std::nullopt, error.what, error.kind == ErrorKind::resource};
  };
  if (channel.interrupted()) return cancelled();
  channel.send(Progress{job.job, 0, "timing the candidates of " + variant.label});
  channel.host_work(kHostWorkLimitS);
  static_cast<void>(tools_->counters_off());
  if (Result<void> set = stage_->set(stage_->scene(), of.axes); !set) return left_out(set.error());
  Result<Stage::Bound> bound = stage_->bind(variant);
  if (!bound) return left_out(bound.error());
  if (bound->on_host()) return RowTrial{std::nullopt, "it runs on the host"};
  static_cast<void>(channel.interrupted());
  Measurement m;
  m.scene = of.scene;
  m.variant = of.variant;
  if (Result<void> ran =
          stage_->note_inputs().and_then([&] { return prepare(*bound, m); }).and_then([&] {
            return checked_run(variant, *bound, m);
          });
      !ran)
    return left_out(ran.error());
  const auto wrong = [&m] {
    return RowTrial{std::nullopt,
                    std::string(to_text(m.verdict.outcome)) + ": " + m.verdict.sentence};
  };
  if (m.verdict.outcome != Outcome::correct) return wrong();
  StoppingLimits limits;
  limits.time_limit_s = std::min(job.time_limit_s, kMostSamplingS);
  const Result<Timing> timing = tools_->timer->sample(
      cache, [&](CUstream stream) { return bound->submit(stream); }, limits, channel.interrupted,
      [&] { return stage_->restore_states(*bound); });
  if (!timing) return left_out(timing.error());
  if (channel.interrupted()) return cancelled();
  if (Result<void> ran = checked_run(variant, *bound, m); !ran) return left_out(ran.error());
  if (m.verdict.outcome != Outcome::correct) return wrong();
  return RowTrial{timing->median_ns, ""};
}

void Measurer::compile_next(const Job& job, const JobChannel& channel) {
  constexpr std::size_t kMostJobs = 48;
  const Scene& scene = stage_->scene();
  const Workload& here = stage_->workload();
  const std::string problem = problem_key(scene.axes, here.axes);
  std::set<CompileRequest> requests;
  for (const Job& next : channel.next(kMostJobs)) {
    const Variant* const variant =
        next.scene == job.scene ? find_variant(scene, next.variant) : nullptr;
    const Result<Configuration> axes = configured(scene, next.variant, next.axes);
    if (variant == nullptr || !axes || problem_key(scene.axes, *axes) != problem) continue;
    const Workload workload{*axes, here.facts, here.late};
    if (!applies(*variant, *axes) || unavailable(*variant, workload, tools_->device->limits()))
      continue;
    for (const Step& step : variant->steps(workload)) {
      const auto* kernel = std::get_if<KernelLaunch>(&step.action);
      if (kernel == nullptr) continue;
      requests.insert(request_for(*kernel, tools_->device->description().compute_capability));
    }
  }
  std::vector<CompileAhead::Wanted> wanted;
  for (const CompileRequest& request : requests) {
    if (auto sources = tools_->kernels->sources()(request.source))
      wanted.push_back({request, std::move(*sources)});
  }
  ahead_.want(std::move(wanted));
}

// With the inputs of its workload in place.
Result<void> Measurer::measure_on_stage(const Job& job, const JobChannel& channel,
                                        const Variant& variant, Measurement& m) {
  const Workload& workload = stage_->workload();
  // Somebody waits for a job that goes first; the next one looks ahead for the others.
  if (!is_live(job) && !job.first) compile_next(job, channel);
  if (variant.choice) m.choice = variant.choice(workload);
  m.conditions.code_id = stage_->code_id(variant);
  const std::vector<Step> steps = variant.steps(workload);
  const bool on_host = std::any_of(steps.begin(), steps.end(), [](const Step& step) {
    return std::holds_alternative<HostStep>(step.action);
  });
  // A second on the host would hold up every other variant of the drag.
  if (on_host && is_live(job)) {
    m.partial = true;
    return answer(channel, m,
                  {Outcome::cannot_run,
                   "it runs on the host, and host runs are not timed while a slider moves",
                   "run it when the slider rests"});
  }
  const NvtxRange range(range_name(stage_->scene(), variant, m.axes));
  const std::int64_t free_bytes = tools_->device->limits().free_bytes;
  Result<Stage::Bound> bound = stage_->bind(variant);
  if (!bound) return answer_unbound(channel, variant, bound.error(), m);
  for (const std::vector<BoundStep>* steps : {&bound->prepare, &bound->run}) {
    for (const BoundStep& step : *steps) {
      m.steps.push_back(record_of(step));
      m.conditions.source_hash +=
          (m.conditions.source_hash.empty() ? "" : "+") + step.kernel().hash.substr(0, 16);
    }
  }
  m.submission = bound->submission;
  if (on_host) {
    channel.host_work(kHostWorkLimitS);
  } else {
    static_cast<void>(channel.interrupted());  // from here the device works: the job's limit holds
  }
  return measure_bound(job, channel, variant, free_bytes, *bound, m);
}

// A variant whose steps could not be bound; what a compiler says stands in a record of its own.
Result<void> Measurer::answer_unbound(const JobChannel& channel, const Variant& variant,
                                      const Error& error, Measurement& m) {
  Verdict verdict = verdict_of(error);
  if (error.kind == ErrorKind::usage && calls_library(variant, stage_->workload()))
    verdict.outcome = Outcome::cannot_run;
  if (error.kind == ErrorKind::input) {
    StepRecord step;
    step.name = "compile";
    step.kind = "kernel";
    step.source = error.where;
    step.compile_log = error.what;
    m.steps.push_back(std::move(step));
  }
  if (error.kind == ErrorKind::fault) return answer_error(channel, m, error);
  if (verdict.outcome == Outcome::launch_failed) explain_launch(channel, variant, m, verdict);
  return answer(channel, m, std::move(verdict));
}

// A launch that the driver refuses: each kernel's registers and shared memory as they are compiled,
// and where these are the reason, the numbers and the axis that mends it in place of other words.
void Measurer::explain_launch(const JobChannel& channel, const Variant& variant, Measurement& m,
                              Verdict& verdict) {
  channel.host_work(kHostWorkLimitS);
  const Workload& workload = stage_->workload();
  const DeviceLimits limits = tools_->device->limits();
  m.steps = compiled_steps(variant.steps(workload), limits.compute_capability,
                           tools_->kernels->sources());
  const Workload own{for_variant(stage_->scene().axes, m.axes, variant.name), workload.facts,
                     workload.late};
  if (auto refused = launch_verdict(stage_->scene(), variant, own, m.steps, limits))
    verdict = std::move(*refused);
}

// Checks, times, reports and counts, in this order: what is wrong has no times.
Result<void> Measurer::measure_bound(const Job& job, const JobChannel& channel,
                                     const Variant& variant, std::int64_t free_bytes,
                                     Stage::Bound& bound, Measurement& m) {
  Result<void> ran =
      stage_->note_inputs().and_then([&] { return prepare(bound, m); }).and_then([&] {
        if (!bound.on_host()) note_memory(free_bytes, m);
        return checked_run(variant, bound, m);
      });
  if (!ran) return answer_error(channel, m, ran.error());
  if (!has_figures(m.verdict.outcome)) return answer(channel, m, m.verdict);
  if (job.is<TimelineJob>()) return capture(job, channel, bound, m);
  if (job.is<WarpsJob>()) return record_warps(*tools_, *stage_, job, channel, bound, m);
  const auto* asked = job.as<MeasureJob>();
  if (asked != nullptr && asked->time) {
    const Verdict before = m.verdict;
    Result<void> timed = VariantTimes(*tools_, *stage_).time(job, *asked, channel, bound, m);
    // Samples of a slider that moves on are not kept: nobody waits for a second check of them.
    const bool passed_over = asked->live && channel.interrupted();
    if (timed && !passed_over) timed = checked_run(variant, bound, m);
    if (!timed) return answer_error(channel, m, timed.error());
    if (!has_figures(m.verdict.outcome)) {
      if (before.outcome == Outcome::correct)
        m.verdict.sentence = "correct before timing, wrong after it: " + m.verdict.sentence;
      return answer(channel, m, m.verdict);
    }
    if (before.worst_error_ratio > m.verdict.worst_error_ratio) m.verdict = before;
  }
  // What is counted alone was compared with them, and shown, with its times.
  const bool counted_alone = asked != nullptr && !asked->time;
  if (!counted_alone && !channel.interrupted()) {
    Result<std::vector<ReportedError>> reported = stage_->report(variant);
    if (!reported) return answer_error(channel, m, reported.error());
    m.reported = std::move(*reported);
    send_outcomes(channel, bound, m);
  }
  VariantCounters counters(*tools_, *stage_);
  for (const auto collect : {&VariantCounters::count, &VariantCounters::count_lines}) {
    if (asked == nullptr || asked->counters == "none" || channel.interrupted()) break;
    if (Result<void> counted = (counters.*collect)(job, *asked, channel, bound, m); !counted) {
      if (counted.error().kind == ErrorKind::fault)
        return answer_error(channel, m, counted.error());
      if (counted.error().what != "cancelled")
        channel.send(LogLine{"warning", sentence(counted.error()), job.job});
    }
  }
  if (asked != nullptr && asks_for_samples(asked->counters) && !channel.interrupted()) {
    const Result<void> sampled = sample_steps(*tools_, *stage_, job, channel, bound, m);
    if (!sampled && sampled.error().kind == ErrorKind::fault)
      return answer_error(channel, m, sampled.error());
  }
  m.partial = channel.interrupted();  // its samples are too few to be kept as a point
  note_conditions_after(m);
  derive_metrics(m);
  channel.send(m);
  return {};
}

// Before a reference is made, which may keep memory of its own.
void Measurer::note_memory(std::int64_t free_bytes, Measurement& m) const {
  const std::int64_t taken = free_bytes - tools_->device->limits().free_bytes;
  set_value(m.metrics,
            {"memory.device",
             static_cast<double>(stage_->array_bytes() + std::max<std::int64_t>(0, taken)),
             Origin::measured, "", ""});
}

void Measurer::note_conditions_after(Measurement& m) const {
  const Conditions after = tools_->conditions();
  m.conditions.sm_clock_mhz =
      m.warm && m.warm->sm_clock_mhz > 0 ? m.warm->sm_clock_mhz : after.sm_clock_mhz;
  m.conditions.throttle = after.throttle;
  m.conditions.power_w = after.power_w;
  m.conditions.temperature_c = after.temperature_c;
}

Result<void> Measurer::prepare(Stage::Bound& bound, Measurement& m) {
  if (Result<void> ready = stage_->restore_states(bound); !ready) return ready;
  double total_ns = 0;
  bool any = false;
  const auto calls = std::count_if(bound.run.begin(), bound.run.end(),
                                   [](const BoundStep& step) { return step.is_library(); });
  for (const BoundStep& step : bound.prepare) {
    const NvtxRange range(m.scene + "/" + m.variant + "/" + step.step().name);
    const Timer::Run run = [&](CUstream stream) { return step.run(stream); };
    Result<double> ns =
        step.is_on_host() ? tools_->timer->once_on_host_ns(run) : tools_->timer->once_ns(run);
    if (!ns) return tl::unexpected(ns.error());
    total_ns += *ns;
    any = true;
    if (StepRecord* record = record_named(m, step.step().name)) record->time_ns = *ns;
  }
  for (const BoundStep& step : bound.run) {
    if (!step.is_library()) continue;
    const auto start = std::chrono::steady_clock::now();
    Result<void> done = step.prepare_library(tools_->device->stream()).and_then([&] {
      return tools_->device->synchronise("prepare");
    });
    if (!done) return done;
    note_choice(m, calls > 1 ? step.step().name : "", step.library_choice());
    // A library prepares on the host as well: wall time, the device idle before and after.
    total_ns +=
        std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
    any = true;
  }
  if (bound.submission == Submission::graph) {
    const auto start = std::chrono::steady_clock::now();
    Result<std::unique_ptr<CapturedGraph>> graph =
        CapturedGraph::capture(*tools_->device, bound.run);
    if (!graph) return tl::unexpected(graph.error());
    bound.graph = std::move(*graph);
    StepRecord record;
    record.name = "capture graph";
    record.phase = Phase::prepare;
    record.kind = "graph";
    record.time_ns =
        std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
    total_ns += *record.time_ns;
    any = true;
    m.steps.push_back(std::move(record));
  }
  if (any) m.prepare_ns = total_ns;
  return {};
}

Result<void> Measurer::checked_run(const Variant& variant, Stage::Bound& bound, Measurement& m) {
  return stage_->make_reference_of(variant)
      .and_then([&] { return stage_->restore_states(bound); })
      .and_then([&] { return stage_->poison_outputs(bound); })
      .and_then([&] { return bound.submit(tools_->device->stream()); })
      .and_then([&]() -> Result<void> {
        Result<Verdict> verdict = stage_->check(variant, bound);
        if (!verdict) return tl::unexpected(verdict.error());
        m.verdict = std::move(*verdict);
        return {};
      });
}

void Measurer::send_outcomes(const JobChannel& channel, const Stage::Bound& bound,
                             const Measurement& m) {
  RunOutcomes outcomes =
      outcomes_of(stage_->scene(), stage_->workload(), m,
                  [&](const std::string& name) { return stage_->bytes_of(bound, name); });
  for (Series& series : outcomes.series) channel.send(std::move(series));
  for (Picture& picture : outcomes.pictures) channel.send(std::move(picture));
  for (const std::string& missing : outcomes.missing)
    channel.send(LogLine{"warning", missing, m.job});
}

}  // namespace warpscope
