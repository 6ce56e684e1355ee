// profiling/engine/measure/measurer.cpp: jobs on a device: check, time, count, capture.
#include "profiling/engine/measure/measurer.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>

#include "profiling/engine/cuda/nvtx.h"
#include "profiling/engine/measure/measured_steps.h"
#include "profiling/engine/measure/roof_attempts.h"
#include "profiling/engine/measure/roofs.h"
#include "profiling/engine/measure/timeline_capture.h"
#include "profiling/points/derive.h"
#include "profiling/points/run_outcomes.h"
#include "scenes/base/code_id.h"
#include "scenes/catalogue.h"
#include "scenes/host/build_stamp.h"
#include "scenes/host/cache.h"

namespace warpscope {
namespace {

std::string now_utc() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

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

// Roofs kept by an earlier version lack mixes, and those of before a scene was there lack its own.
bool holds_all(const RoofSet& set) {
  if (!holds_mixes(set)) return false;
  for (const Scene& scene : built_in_catalogue().scenes()) {
    for (const SceneRoof& roof : scene.roofs) {
      if (find_roof(set, scene.name, roof.name) == nullptr) return false;
    }
  }
  return true;
}

// `of_scenes`: see scene_roofs_id.
std::string roofs_name(const Conditions& c, const std::string& of_scenes) {
  return "roofs-" + c.device_uuid + "-" + c.toolkit + "-" + roof_kernels_hash() +
         (of_scenes.empty() ? "" : "-" + of_scenes) + ".json";
}

}  // namespace

Result<std::unique_ptr<Measurer>> Measurer::create(int ordinal, bool hands_off,
                                                   const Catalogue& catalogue) {
  Result<std::unique_ptr<Device>> device = Device::open(ordinal);
  if (!device) return tl::unexpected(device.error());
  std::unique_ptr<Measurer> m(new Measurer(catalogue));
  m->hands_off_ = hands_off;
  m->device_ = std::move(*device);
  m->kernels_ = std::make_unique<KernelStore>(*m->device_);
  if (Result<Nvml> nvml = Nvml::open(m->device_->description().uuid)) m->nvml_ = std::move(*nvml);
  if (hands_off) {
    m->counters_capability_.reason =
        "the engine runs with --hands-off, so another profiler can work";
    m->counters_capability_.remedy = "start it without --hands-off";
    m->sass_capability_.reason = m->counters_capability_.reason;
    m->sass_capability_.remedy = m->counters_capability_.remedy;
  } else if (Result<std::unique_ptr<Counters>> counters =
                 Counters::create(m->device_->context(), ordinal)) {
    m->counters_ = std::move(*counters);
    m->counters_capability_.available = true;
    m->counters_capability_.version = m->counters_->chip();
  } else {
    m->counters_capability_.reason = counters.error().where + ": " + counters.error().what;
    m->counters_capability_.remedy = counters.error().remedy;
  }
  if (!hands_off) {
    Result<std::unique_ptr<SassCounters>> sass =
        SassCounters::create(m->device_->context(), ordinal);
    m->sass_capability_ = sass_capability(sass);
    if (sass) m->sass_counters_ = std::move(*sass);
  }
  Result<std::unique_ptr<Timer>> timer =
      Timer::create(*m->device_, *m->kernels_, m->nvml_ ? &*m->nvml_ : nullptr);
  if (!timer) return tl::unexpected(timer.error());
  m->timer_ = std::move(*timer);
  m->stage_ = std::make_unique<Stage>(*m->device_, *m->kernels_);
  if (m->counters_) static_cast<void>(m->selftest());
  return m;
}

std::vector<Capability> Measurer::capabilities() const {
  Capability nvml{"nvml", nvml_.has_value(), nvml_ ? nvml_->driver_version() : ""};
  if (!nvml_) {
    nvml.reason = "NVML does not start";
    nvml.remedy = "clocks and power are not recorded; reinstall the driver";
  }
  std::vector<Capability> all = timeline_capabilities(hands_off_);
  all.insert(all.begin(), {counters_capability_, sass_capability_});
  all.push_back(std::move(nvml));
  return all;
}

std::string Measurer::driver_version() const {
  return nvml_ && !nvml_->driver_version().empty() ? nvml_->driver_version()
                                                   : device_->driver_version();
}

Conditions Measurer::conditions() const {
  Conditions c;
  c.device = device_->description().name;
  c.device_uuid = device_->description().uuid;
  c.driver = driver_version();
  c.toolkit = nvrtc_version().value_or("");
  c.build = build_stamp();
  c.date = now_utc();
  if (nvml_) {
    const NvmlReading reading = nvml_->read();
    c.sm_clock_mhz = reading.sm_clock_mhz;
    c.memory_clock_mhz = reading.memory_clock_mhz;
    c.power_w = reading.power_w;
    c.temperature_c = reading.temperature_c;
    c.throttle = reading.throttle;
  }
  return c;
}

Result<void> Measurer::run(const Job& job, const JobChannel& channel) {
  kernels_->use(sources_among(job.sources));
  if (job.kind == JobKind::roofs) return roofs(job, channel);
  if (job.kind == JobKind::trace) {
    return failure(ErrorKind::usage, "an engine that measures makes no traces", "trace",
                   "send the job to one of role emulate");
  }
  if (job.kind == JobKind::selftest) {
    if (!counters_) {
      return failure(ErrorKind::environment, counters_capability_.reason, "counters",
                     counters_capability_.remedy);
    }
    const SelfTest test = selftest();
    channel.send(LogLine{test.passed ? "info" : "warning", test.sentence, job.job});
    return {};
  }
  return measure(job, channel);
}

SelfTest Measurer::selftest() {
  SelfTest test = run_counter_selftest(*device_, *kernels_, *counters_);
  counters_capability_.reason = test.passed ? "" : "untrusted: " + test.sentence;
  return test;
}

Result<void> Measurer::roofs(const Job& job, const JobChannel& channel) {
  const std::string name = roofs_name(
      conditions(),
      scene_roofs_id(built_in_catalogue().scenes(), device_->limits(), kernels_->sources()));
  constexpr std::int64_t kMostBytes = 1 << 20;
  const Result<Cache> cache = Cache::open();
  if (const auto text =
          cache && !job.fresh ? cache->read("roofs", name, kMostBytes) : std::nullopt) {
    Result<Message> kept = parse_line(std::string_view(*text).substr(0, text->find('\n')));
    const RoofSet* set = kept ? std::get_if<RoofSet>(&*kept) : nullptr;
    if (set != nullptr && holds_all(*set)) {
      channel.send(*set);
      return {};
    }
  }
  Result<RoofSet> set =
      measure_roofs(*device_, *kernels_, *timer_, counters_.get(), built_in_catalogue().scenes(),
                    [&](double ratio, const std::string& text) {
                      channel.send(Progress{job.job, ratio, text});
                      return !channel.interrupted();
                    });
  if (!set) return tl::unexpected(set.error());
  set->conditions = conditions();
  channel.send(*set);
  // Roofs that cannot be kept are measured again next time.
  if (cache) cache->write("roofs", name, to_line(*set) + "\n");
  return {};
}

Result<void> Measurer::prepare(Stage::Bound& bound, Measurement& m) {
  if (Result<void> ready = stage_->restore_states(bound); !ready) return ready;
  double total_ns = 0;
  bool any = false;
  for (const BoundStep& step : bound.prepare) {
    const NvtxRange range(m.scene + "/" + m.variant + "/" + step.step().name);
    const Timer::Run run = [&](CUstream stream) { return step.run(stream); };
    Result<double> ns = step.is_on_host() ? timer_->once_on_host_ns(run) : timer_->once_ns(run);
    if (!ns) return tl::unexpected(ns.error());
    total_ns += *ns;
    any = true;
    if (StepRecord* record = record_named(m, step.step().name)) record->time_ns = *ns;
  }
  for (const BoundStep& step : bound.run) {
    if (!step.is_library()) continue;
    const auto start = std::chrono::steady_clock::now();
    Result<void> done = step.prepare_library(device_->stream()).and_then([&] {
      return device_->synchronise("prepare");
    });
    if (!done) return done;
    // A library prepares on the host as well: wall time, the device idle before and after.
    total_ns +=
        std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
    any = true;
  }
  if (bound.submission == Submission::graph) {
    const auto start = std::chrono::steady_clock::now();
    Result<std::unique_ptr<CapturedGraph>> graph = CapturedGraph::capture(*device_, bound.run);
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
  return stage_->restore_states(bound)
      .and_then([&] { return stage_->poison_outputs(bound); })
      .and_then([&] { return bound.submit(device_->stream()); })
      .and_then([&]() -> Result<void> {
        Result<Verdict> verdict = stage_->check(variant, bound);
        if (!verdict) return tl::unexpected(verdict.error());
        m.verdict = std::move(*verdict);
        return {};
      });
}

Result<void> Measurer::measure(const Job& job, const JobChannel& channel) {
  Result<const Scene*> scene = catalogue_.find(job.scene);
  if (!scene) return tl::unexpected(scene.error());
  Result<const Variant*> variant = find_variant_or_explain(**scene, job.variant);
  if (!variant) return tl::unexpected(variant.error());
  const Result<Configuration> axes = configured(**scene, job.variant, job.axes);
  if (!axes) return tl::unexpected(axes.error());
  Measurement m;
  m.job = job.job;
  m.scene = job.scene;
  m.variant = job.variant;
  m.axes = *axes;
  m.key = configuration_key((*scene)->axes, *axes, job.variant);
  m.problem = problem_key((*scene)->axes, *axes);
  m.counters = job.counters;
  m.conditions = conditions();
  const auto answer = [&](Verdict verdict) -> Result<void> {
    m.verdict = std::move(verdict);
    m.cold.reset();
    m.warm.reset();
    derive_metrics(m);
    channel.send(m);
    return {};
  };
  // A fault is answered with its verdict and then ends the process: the context is lost.
  const auto answer_error = [&](const Error& error) -> Result<void> {
    static_cast<void>(answer(verdict_of(error)));
    return error.kind == ErrorKind::fault || error.kind == ErrorKind::internal
               ? tl::unexpected(error)
               : Result<void>{};
  };
  if (!applies(**variant, *axes)) {
    std::string remedy = "choose another variant";
    if (const auto elsewhere = where_applies(**scene, **variant, *axes)) {
      for (const auto& [name, value] : elsewhere->values()) {
        if (value != axes->at(name)) remedy = "set " + name + "=" + to_text(value);
      }
    }
    return answer({Outcome::cannot_run, "it does not compute what is asked for here", remedy});
  }
  if (!stage_->holds(**scene, *axes)) channel.send(Progress{job.job, 0, "making the inputs"});
  channel.host_work(host_work_limit_s);
  if (Result<void> set = stage_->set(**scene, *axes); !set) {
    if (set.error().kind == ErrorKind::fault) return answer_error(set.error());
    if (set.error().kind == ErrorKind::resource) return answer(verdict_of(set.error()));
    return set;  // a configuration that nobody can run: the job fails, not the variant
  }
  const Workload& workload = stage_->workload();
  m.facts = workload.facts;
  if ((*scene)->nothing_to_do) {
    if (const auto reason = (*scene)->nothing_to_do(workload))
      return answer({Outcome::nothing_to_do, *reason, ""});
  }
  if (const auto reason = unavailable(**variant, workload, device_->limits())) {
    return answer({Outcome::cannot_run, *reason, "choose a configuration that it can run"});
  }
  if ((*variant)->choice) m.choice = (*variant)->choice(workload);
  m.conditions.code_id = stage_->code_id(**variant);
  const std::vector<Step> steps = (*variant)->steps(workload);
  const bool on_host = std::any_of(steps.begin(), steps.end(), [](const Step& step) {
    return std::holds_alternative<HostStep>(step.action);
  });
  // A second on the host would hold up every other variant of the drag.
  if (on_host && job.live) {
    m.partial = true;
    return answer({Outcome::cannot_run,
                   "it runs on the host, which is not timed while a slider moves",
                   "run it when the slider rests"});
  }
  const NvtxRange range(range_name(**scene, **variant, *axes));
  Result<Stage::Bound> bound = stage_->bind(**variant);
  if (!bound) {
    Verdict verdict = verdict_of(bound.error());
    const bool compile = bound.error().kind == ErrorKind::input;
    if (bound.error().kind == ErrorKind::usage && calls_library(**variant, workload))
      verdict.outcome = Outcome::cannot_run;
    if (compile) {
      StepRecord step;
      step.name = "compile";
      step.kind = "kernel";
      step.source = bound.error().where;
      step.compile_log = bound.error().what;
      m.steps.push_back(std::move(step));
    }
    if (bound.error().kind == ErrorKind::fault) return answer_error(bound.error());
    return answer(std::move(verdict));
  }
  for (const std::vector<BoundStep>* steps : {&bound->prepare, &bound->run}) {
    for (const BoundStep& step : *steps) {
      m.steps.push_back(record_of(step));
      m.conditions.source_hash +=
          (m.conditions.source_hash.empty() ? "" : "+") + step.kernel().hash.substr(0, 16);
    }
  }
  m.submission = bound->submission;
  if (on_host) {
    channel.host_work(host_work_limit_s);
  } else {
    static_cast<void>(channel.interrupted());  // from here the device works: the job's limit holds
  }
  if (Result<void> ready = prepare(*bound, m); !ready) return answer_error(ready.error());
  if (Result<void> ran = checked_run(**variant, *bound, m); !ran) return answer_error(ran.error());
  if (m.verdict.outcome != Outcome::correct) return answer(m.verdict);
  if (job.kind == JobKind::timeline) return capture(job, channel, *bound, m);
  if (job.kind == JobKind::measure && job.time) {
    if (Result<void> timed = time(job, channel, *bound, m); !timed)
      return answer_error(timed.error());
    const Verdict before = m.verdict;
    if (Result<void> again = checked_run(**variant, *bound, m); !again)
      return answer_error(again.error());
    if (m.verdict.outcome != Outcome::correct) {
      m.verdict.sentence = "right before timing, wrong after: " + m.verdict.sentence;
      return answer(m.verdict);
    }
    if (before.worst_error_ratio > m.verdict.worst_error_ratio) m.verdict = before;
  }
  if (!channel.interrupted()) {
    Result<std::vector<ReportedError>> reported = stage_->report(**variant);
    if (!reported) return answer_error(reported.error());
    m.reported = std::move(*reported);
    send_outcomes(channel, *bound, m);
  }
  for (const auto collect : {&Measurer::count, &Measurer::count_lines}) {
    if (job.counters == "none" || channel.interrupted()) break;
    if (Result<void> counted = (this->*collect)(job, channel, *bound, m); !counted) {
      if (counted.error().kind == ErrorKind::fault) return answer_error(counted.error());
      if (counted.error().what != "cancelled")
        channel.send(LogLine{"warning", sentence(counted.error()), job.job});
    }
  }
  m.partial = channel.interrupted();  // its samples are too few to be kept as a point
  const Conditions after = conditions();
  m.conditions.sm_clock_mhz =
      m.warm && m.warm->sm_clock_mhz > 0 ? m.warm->sm_clock_mhz : after.sm_clock_mhz;
  m.conditions.throttle = after.throttle;
  m.conditions.power_w = after.power_w;
  m.conditions.temperature_c = after.temperature_c;
  derive_metrics(m);
  channel.send(m);
  return {};
}

Result<void> Measurer::time(const Job& job, const JobChannel& channel, Stage::Bound& bound,
                            Measurement& m) {
  if (bound.on_host()) return time_on_host(job, channel, bound, m);
  const Timer::Run run = [&](CUstream stream) { return bound.submit(stream); };
  const Timer::Before restore = [&] { return stage_->restore_states(bound); };
  StoppingLimits limits;
  limits.time_limit_s = job.time_limit_s;
  const auto partial = [&] {
    Measurement early = m;
    early.partial = true;
    derive_metrics(early);
    channel.send(early);
  };
  if (job.live) {
    StoppingLimits first = limits;
    first.minimum_total_ns = 0;
    first.maximum_samples = first.minimum_samples;
    Result<Timing> quick =
        timer_->sample(CacheState::warm, run, first, channel.interrupted, restore);
    if (!quick) return tl::unexpected(quick.error());
    m.warm = std::move(*quick);
    m.warm->stop_reason = "first samples";
    partial();
    if (channel.interrupted()) return {};
  }
  Result<Timing> cold = timer_->sample(CacheState::cold, run, limits, channel.interrupted, restore);
  if (!cold) return tl::unexpected(cold.error());
  m.cold = std::move(*cold);
  if (channel.interrupted()) return {};
  Result<Timing> warm = timer_->sample(CacheState::warm, run, limits, channel.interrupted, restore);
  if (!warm) return tl::unexpected(warm.error());
  m.warm = std::move(*warm);
  constexpr double kShortNs = 5000;  // launches no longer hide behind kernels this short
  const bool kernels_only = std::none_of(bound.run.begin(), bound.run.end(),
                                         [](const auto& s) { return s.is_library(); });
  if (m.warm->median_ns < kShortNs && kernels_only && !job.live && bound.graph == nullptr) {
    if (Result<Timing> graph = timer_->sample_graph(run, limits, channel.interrupted, restore)) {
      set_value(m.metrics, {"time.graph", graph->median_ns, Origin::measured, "", ""});
    }
  }
  return job.live ? Result<void>{} : time_steps(channel, bound, m);
}

Result<void> Measurer::count(const Job& job, const JobChannel& channel, Stage::Bound& bound,
                             Measurement& m) {
  Result<std::vector<std::string>> ids = parse_counters(job.counters);
  if (!ids) return tl::unexpected(ids.error());
  if (ids->empty()) return {};
  const auto explain = [&](const std::string& reason, const std::string& remedy) {
    for (const std::string& id : *ids) {
      if (!value_of(m.metrics, id))
        set_value(m.metrics, {id, std::nullopt, Origin::measured, reason, remedy});
    }
  };
  if (!counters_) {
    explain(counters_capability_.reason, counters_capability_.remedy);
    return {};
  }
  Result<CounterPlan> plan = counters_->plan(*ids);
  if (!plan) {
    explain(plan.error().what, plan.error().remedy);
    return tl::unexpected(plan.error());
  }
  if (std::all_of(bound.run.begin(), bound.run.end(),
                  [](const BoundStep& step) { return step.is_on_host(); })) {
    explain("it runs on the host, which a GPU's counters do not see", "");
    return {};
  }
  m.cold_counters = job.cold_counters;
  // Counters are of a warm run, also in the first pass: what ran before it was the check.
  Result<void> counted =
      bound.submit(device_->stream()).and_then([&] { return device_->synchronise("run"); });
  if (counted && bound.graph != nullptr) {
    counted = count_graph(channel, job, *plan, bound, m);
  } else if (counted) {
    m.counter_passes = plan->passes;
    const std::string announced = "counters " + job.counters + ": ";
    channel.send(Progress{
        job.job, 0,
        announced + std::to_string(plan->passes) + (plan->passes == 1 ? " pass" : " passes")});
    counted = count_steps(channel, job, *plan, bound, announced)
                  .map([&](const std::vector<RangeCounters>& ranges) {
                    put_step_counters(ranges, m);
                    add_run_counters(ranges, m);
                  });
  }
  if (!counted) {
    explain(counted.error().what, counted.error().remedy);
    return counted;
  }
  for (const MetricValue& value : plan->unavailable) set_value(m.metrics, value);
  return {};
}

Result<void> Measurer::count_lines(const Job& job, const JobChannel& channel, Stage::Bound& bound,
                                   Measurement& m) {
  if (!asks_for_lines(job.counters)) return {};
  std::optional<Error> kept_from;  // why no step from here on has lines
  if (!sass_counters_) {
    kept_from = Error{ErrorKind::environment, sass_capability_.reason, "counters by source line",
                      sass_capability_.remedy};
  }
  for (std::size_t at = 0; at < bound.run.size(); ++at) {
    const BoundStep& step = bound.run[at];
    StepRecord* record = record_named(m, step.step().name);
    const auto explain = [&](const std::string& reason, const std::string& remedy) {
      record->lines = {};
      record->lines.missing = {
          {std::string(line_counter_set), std::nullopt, Origin::measured, reason, remedy}};
    };
    if (step.is_library()) explain("the kernels of a library come without source", "");
    const auto* launch = std::get_if<KernelLaunch>(&step.step().action);
    if (launch == nullptr) continue;
    if (!kept_from) {
      SassCounters::Runs runs;
      runs.run = [&] {
        return step.run(device_->stream()).and_then([&] {
          return device_->synchronise(step.step().name);
        });
      };
      // A step that adds to what is there must find what it finds in a whole run.
      runs.before = [&]() -> Result<void> {
        if (Result<void> ready = stage_->restore_states(bound); !ready) return ready;
        for (std::size_t earlier = 0; earlier < at; ++earlier) {
          if (Result<void> ran = bound.run[earlier].run(device_->stream()); !ran) return ran;
        }
        return device_->synchronise("run");
      };
      runs.go_on = [&](int pass, int of) {
        const double steps = static_cast<double>(bound.run.size());
        channel.send(Progress{job.job,
                              (static_cast<double>(at) + static_cast<double>(pass) / of) / steps,
                              "counters by source line: " + step.step().name + ", pass " +
                                  std::to_string(pass + 1) + " of " + std::to_string(of)});
        return !channel.interrupted();
      };
      Result<LineCounters> lines =
          sass_counters_->collect(step.kernel(), launch->source, launch->entry, runs);
      if (lines) {
        record->lines = std::move(*lines);
        continue;
      }
      if (lines.error().kind == ErrorKind::fault) return tl::unexpected(lines.error());
      kept_from = lines.error();
    }
    explain(kept_from->where + ": " + kept_from->what, kept_from->remedy);
  }
  // A missing capability is said once, in the hello, and at the steps.
  if (kept_from && sass_counters_) return tl::unexpected(*kept_from);
  return {};
}

Result<void> Measurer::capture(const Job& job, const JobChannel& channel, Stage::Bound& bound,
                               const Measurement& m) {
  if (hands_off_) {
    return failure(ErrorKind::environment, "the engine runs with --hands-off and loads no CUPTI",
                   "timeline", "start it without --hands-off");
  }
  const int runs = bound.on_host() ? 1 : 3;
  if (Result<void> ready = stage_->restore_states(bound).and_then(
          [&] { return device_->synchronise("restoring states"); });
      !ready) {
    return ready;
  }
  Result<Timeline> timeline = capture_timeline([&]() -> Result<void> {
    for (int i = 0; i < runs; ++i) {
      const NvtxRange whole(m.scene + "/" + m.variant + " run " + std::to_string(i + 1));
      if (bound.graph != nullptr) {
        const NvtxRange range("graph");
        if (Result<void> ran = bound.submit(device_->stream()); !ran) return ran;
      }
      for (const BoundStep& step : bound.run) {
        if (bound.graph != nullptr) break;
        const NvtxRange range(step.step().name);
        if (Result<void> ran = step.run(device_->stream()); !ran) return ran;
      }
      if (Result<void> idle = device_->synchronise("run"); !idle) return idle;
    }
    return {};
  });
  if (!timeline) return tl::unexpected(timeline.error());
  timeline->job = job.job;
  timeline->scene = m.scene;
  timeline->variant = m.variant;
  timeline->key = m.key;
  timeline->conditions = m.conditions;
  channel.send(*timeline);
  return {};
}

}  // namespace warpscope
