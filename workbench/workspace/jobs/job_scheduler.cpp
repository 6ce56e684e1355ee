// workbench/workspace/jobs/job_scheduler.cpp: what a person asks for becomes jobs of the engines.
#include "workbench/workspace/jobs/job_scheduler.h"

#include <set>
#include <utility>

#include "profiling/points/step_means.h"
#include "profiling/session/overload.h"
#include "profiling/stalls/stall_cause.h"
#include "workbench/workspace/jobs/sweep_places.h"

namespace warpscope {
namespace {

Job roofs_job(const Scene& scene, const RoofsJob& asked) {
  Job job;
  job.work = asked;
  job.hang_limit_s = kRoofsLimitS;
  job.scene = scene.name;
  return job;
}

}  // namespace

std::map<std::string, std::string> texts_of(const Configuration& axes) {
  std::map<std::string, std::string> texts;
  for (const auto& [name, value] : axes.values()) texts[name] = to_text(value);
  return texts;
}

std::string quote_tag(const std::string& counters) {
  return counters == "none" ? "quoted times" : "quoted counters";
}

MeasureJob measuring(const std::string& counters) {
  return {.counters = counters, .time = counters == "none"};
}

JobScheduler::JobScheduler(OpenedSession& opened, const ShownScene& scene,
                           const Selection& selection, const SelectedPoints& points,
                           KernelFiles& files, Engines& engines, WindowLog& log)
    : opened_(opened),
      scene_(scene),
      selection_(selection),
      points_(points),
      files_(files),
      engines_(engines),
      log_(log) {}

std::int64_t JobScheduler::send(EngineClient& engine, Job job, Recording recording) {
  job.job = last_job_ = engine.submit(job);
  opened_.apply(job);
  if (recording == Recording::yes) {
    opened_.append(job);
  } else {
    unrecorded_.insert(job.job);
  }
  return job.job;
}

Job JobScheduler::job_of(JobWork work, const std::string& tag, const Variant& variant) const {
  return job_of(std::move(work), tag, variant, selection_.axes);
}

Job JobScheduler::job_of(JobWork work, const std::string& tag, const Variant& variant,
                         const Configuration& axes) const {
  Job job;
  job.work = std::move(work);
  job.tag = tag;
  job.scene = scene_.name();
  job.variant = variant.name;
  job.axes = texts_of(axes);
  return job;
}

void JobScheduler::submit(const Variant& variant, JobWork work, const Asking& asking,
                          const Configuration& axes) {
  EngineClient* engine = engines_.measuring();
  if (engine == nullptr) return;
  Job job = job_of(std::move(work), asking.tag + "/" + variant.name, variant, axes);
  job.first = asking.first;
  job.time_limit_s = is_live(job) ? 0.15 : 1.5;
  if (engine->outstanding().empty()) batch_ = 0;
  ++batch_;
  ++submitted_;
  files_.went_to_measure(send(*engine, std::move(job)));
}

void JobScheduler::measure_roofs() {
  Job job = roofs_job(scene_.scene(), {});
  job.tag = "roofs";
  job.first = true;
  send(*engines_.measuring(), std::move(job));
}

void JobScheduler::trace(const Variant& variant,
                         const std::optional<request::Trace::Place>& elsewhere) {
  EngineClient& emulator = *engines_.emulating();
  TraceJob asked;
  const std::int64_t block = elsewhere ? elsewhere->block : selection_.trace.block;
  if (block >= 0) asked.block = std::to_string(block);
  asked.step = elsewhere ? "" : selection_.step;
  if (selection_.trace.machine_code) asked.code = TracedCode::best;
  asked.dependencies = selection_.trace.machine_code;
  Job job = job_of(std::move(asked), "trace/" + variant.name, variant);
  if (elsewhere) job.axes = texts_of(elsewhere->axes);
  emulator.start();
  files_.went_to_trace(send(emulator, std::move(job)));
}

void JobScheduler::trace_live(const Variant& variant) {
  EngineClient& emulator = *engines_.emulating();
  TraceJob asked;
  if (selection_.trace.block >= 0) asked.block = std::to_string(selection_.trace.block);
  asked.grid = false;
  // After the block that is drawn at once; the next move of the slider ends it.
  asked.sample_instructions = kUsualSampleInstructions;
  asked.live = true;
  if (selection_.trace.machine_code) asked.code = TracedCode::best;
  asked.dependencies = selection_.trace.machine_code;
  emulator.start();
  files_.went_to_trace(
      send(emulator, job_of(std::move(asked), "live trace", variant), Recording::no));
}

// Samples, and the counters that tell which level of memory answers, come from two processes. The
// engine that counts lets the device go a few seconds after its last job.
void JobScheduler::sample_stalls(const Variant& variant) {
  if (EngineClient* emulator = engines_.emulating(); emulator != nullptr) {
    TraceJob asked;
    asked.grid = false;
    asked.sample_instructions = kUsualSampleInstructions;
    asked.code = TracedCode::machine_code;
    asked.dependencies = true;
    emulator->start();
    files_.went_to_trace(send(*emulator, job_of(std::move(asked), "stalls trace", variant)));
  }
  if (opened_.recorded()) return;
  EngineClient* sampler = engines_.sampling();
  if (sampler == nullptr) return;
  submit(variant, measuring(kStallLevelCounters), {.tag = "stalls levels"}, selection_.axes);
  sampler->start();
  files_.went_to_measure(
      send(*sampler, job_of(measuring(std::string(kStallSampleSet)), "stalls samples", variant)));
}

void JobScheduler::compile_registers(const Variant& variant) {
  EngineClient* emulator = engines_.emulating();
  if (emulator == nullptr) return;
  std::vector<int> architectures;
  // That of the device at hand first: it is looked at first.
  const Hello* engine = opened_.session().engine();
  if (engine != nullptr && engine->device)
    architectures.push_back(engine->device->compute_capability);
  for (const int architecture : kOccupancyArchitectures) {
    if (architectures.empty() || architectures.front() != architecture)
      architectures.push_back(architecture);
  }
  emulator->start();
  send(*emulator, job_of(RegistersJob{std::move(architectures)}, "registers", variant));
}

// On the device if one measures, else emulated.
void JobScheduler::compare_outputs(const Variant& variant) {
  const std::string baseline = points_.baseline_id(variant.name).variant;
  if (baseline.empty() || baseline == variant.name)
    return log_.notify("there is no other variant to compare its outputs with: choose a baseline");
  EngineClient* engine = engines_.at_hand(opened_.session());
  if (engine == nullptr) return log_.notify("there is neither a device nor an emulator here");
  engine->start();
  send(*engine, job_of(OutputsJob{baseline}, "outputs", variant));
}

// A listing is of a text and quickly made again: it is shown, not recorded.
void JobScheduler::compile_listing(const Variant& variant, const std::string& step,
                                   int architecture) {
  EngineClient* emulator = engines_.emulating();
  if (emulator == nullptr) return;
  ListingJob asked{step, {}};
  if (architecture > 0) asked.architectures = {architecture};
  emulator->start();
  send(*emulator, job_of(std::move(asked), "listing", variant), Recording::no);
}

// A newer verdict of a save takes the place of one that waits.
std::optional<std::int64_t> JobScheduler::judge(const Variant& variant) {
  EngineClient* emulator = engines_.emulating();
  if (emulator == nullptr || emulator->given_up()) return std::nullopt;
  emulator->start();
  const std::int64_t job = send(*emulator, job_of(VerifyJob{}, "judge", variant));
  // What is saved now is not what was looked at a moment ago.
  files_.look_again();
  files_.went_to_measure(job);
  return job;
}

SweepProgress JobScheduler::sweep_progress() const {
  const Session& session = opened_.session();
  SweepProgress progress{sweep_.axis, 0, sweep_.jobs.size()};
  // For jobs so old that the session let go of them there is nothing to wait for.
  const std::int64_t oldest = session.jobs().empty() ? 0 : session.jobs().front().first;
  for (const std::int64_t job : sweep_.jobs)
    progress.done += job < oldest || session.done(job) ? 1 : 0;
  return progress;
}

bool JobScheduler::counts_first() const {
  const EngineClient* engine = std::as_const(engines_).measuring();
  if (engine == nullptr) return false;
  // Also before they begin: the engine begins sooner than it is heard of.
  return std::any_of(engine->outstanding().begin(), engine->outstanding().end(),
                     [](const Job& job) {
                       const auto* asked = job.as<MeasureJob>();
                       return asked != nullptr && job.first && !asked->time;
                     });
}

void JobScheduler::forget_all() {
  engines_.cancel_all();
  forgotten_jobs_ = last_job_;
  batch_ = 0;
  sweep_.jobs.clear();
}

void JobScheduler::sweep() {
  const Scene& scene = scene_.scene();
  const Result<SweepPlaces> places = sweep_places(scene, selection_);
  if (!places) return log_.notify(sentence(places.error()));
  engines_.measuring()->cancel_tagged("sweep/");
  sweep_ = {places->axes, {}};
  // What a time does not bring: plots show a point once it has the metric.
  std::string counters;
  for (const std::string& id : counters_behind(selection_.sweep_metric))
    counters += (counters.empty() ? "" : ",") + id;
  std::set<std::string> keys;  // values that an input decides can make two points one
  for (const Configuration& axes : places->all) {
    for (const Variant* variant : points_.shown_variants(axes)) {
      if (variant->measured_once) continue;
      const std::string key = configuration_key(scene.axes, axes, variant->name);
      if (!keys.insert(variant->name + "/" + key).second) continue;
      for (const std::string& asked : {std::string("none"), counters}) {
        if (asked.empty()) continue;
        const std::string tag = "sweep/" + std::to_string(sweep_.jobs.size());
        submit(*variant, measuring(asked), {.tag = tag}, axes);
        sweep_.jobs.push_back(last_job_);
      }
    }
  }
  if (places->refused > 0) {
    log_.notify(std::to_string(places->refused) + " of " +
                std::to_string(places->refused + places->all.size()) +
                " points of the sweep are left out: " + places->why);
  }
}

void JobScheduler::cancel_sweep() {
  if (engines_.has_engine()) engines_.measuring()->cancel_tagged("sweep/");
}

void JobScheduler::measure_roofs_again() {
  send(*engines_.measuring(), roofs_job(scene_.scene(), {.fresh = true}));
  ++batch_;
}

void JobScheduler::run(const std::string& name, const JobWork& work, const std::string& tag) {
  const bool counts = std::holds_alternative<MeasureJob>(work) && selection_.counters != "none";
  for (const Variant* variant : points_.shown_variants()) {
    if (!name.empty() && variant->name != name) continue;
    submit(*variant, work, {.tag = tag}, selection_.axes);
    if (counts)
      submit(*variant, measuring(selection_.counters), {.tag = "counters"}, selection_.axes);
  }
}

void JobScheduler::take(const JobRequest& request) {
  const auto find = [&](const std::string& name) { return find_variant(scene_.scene(), name); };
  const auto measures = [&] {
    if (opened_.recorded()) log_.notify(kNothingMeasures);
    return !opened_.recorded();
  };
  std::visit(
      Overload{
          // These need no device.
          [&](const request::Trace& asked) {
            if (!engines_.has_emulator()) {
              return log_.notify(
                  "there is no emulator here: diagrams show the traces that the session has");
            }
            if (const Variant* variant = find(asked.variant)) trace(*variant, asked.elsewhere);
          },
          [&](const request::Registers& asked) {
            if (const Variant* variant = find(asked.variant)) compile_registers(*variant);
          },
          [&](const request::Stalls& asked) {
            if (const Variant* variant = find(asked.variant)) sample_stalls(*variant);
          },
          [&](const request::Outputs& asked) {
            if (const Variant* variant = find(asked.variant)) compare_outputs(*variant);
          },
          [&](const request::Listing& asked) {
            if (const Variant* variant = find(asked.variant))
              compile_listing(*variant, asked.step, asked.architecture);
          },
          [&](const request::Measure& asked) {
            if (measures()) run(asked.variant, MeasureJob{}, "run");
          },
          [&](const request::Timeline& asked) {
            if (measures()) run(asked.variant, TimelineJob{}, "timeline");
          },
          [&](const request::Warps& asked) {
            if (measures()) run(asked.variant, WarpsJob{}, "warps");
          },
          [&](const request::Sweep&) {
            if (measures()) sweep();
          },
          [&](const request::Roofs&) {
            if (measures()) measure_roofs_again();
          },
          [&](const request::Quote& asked) {
            if (!measures()) return;
            const Variant* variant = find(asked.variant);
            if (variant == nullptr) return;
            const std::string& counters = asked.counters;
            submit(*variant, measuring(counters), {.tag = quote_tag(counters), .first = true},
                   selection_.axes);
          },
      },
      request);
}

}  // namespace warpscope
