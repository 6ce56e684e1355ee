// profiling/engine/measure/measurer.cpp: jobs on a device: check, time, count, capture.
#include "profiling/engine/measure/measurer.h"

#include "profiling/engine/cuda/nvtx.h"
#include "profiling/engine/measure/roof_attempts.h"
#include "profiling/engine/measure/roofs.h"
#include "profiling/engine/measure/timeline_capture.h"
#include "profiling/points/derive.h"
#include "profiling/points/run_outcomes.h"
#include "profiling/session/overload.h"
#include "scenes/base/texts/code_id.h"
#include "scenes/catalogue.h"
#include "scenes/host/build_stamp.h"
#include "scenes/host/cache.h"
#include "scenes/host/clock.h"

namespace warpscope {
namespace {

// Roofs kept by an earlier version lack mixes, and those of before a scene was there lack its own.
bool holds_all(const RoofSet& set) {
  if (!holds_mixes(set)) return false;
  for (const Scene& scene : built_in_scenes()) {
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
  if (m->counters_) {
    static_cast<void>(m->selftest());
    // The usual plan takes 7 ms to make, for which somebody would wait.
    if (const auto usual = parse_counters("standard"))
      static_cast<void>(m->counters_->plan(*usual));
  }
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
  const auto* asked = job.as<MeasureJob>();
  const bool counts_alone =
      asked != nullptr && !asked->time && asked->counters != "none" && !asked->counters.empty();
  if (!counts_alone) static_cast<void>(counters_off());
  const Result<void> done = answer_job(job, channel);
  if (!done || channel.next(1).empty()) static_cast<void>(counters_off());
  return done;
}

Result<void> Measurer::counters_off() { return counters_ ? counters_->release() : Result<void>{}; }

Result<void> Measurer::answer_job(const Job& job, const JobChannel& channel) {
  kernels_->use(sources_among(job.sources));
  const auto refuse = [](const char* what) -> Result<void> {
    return failure(ErrorKind::usage, "a measuring engine makes no traces and no tables", what,
                   "send the job to an engine with the role emulate");
  };
  return std::visit(Overload{[&](const RoofsJob& asked) { return roofs(job, asked, channel); },
                             [&](const TraceJob&) { return refuse("trace"); },
                             [&](const RegistersJob&) { return refuse("registers"); },
                             [&](const OutputsJob&) { return hold_outputs(job, channel); },
                             [&](const SelftestJob&) { return answer_selftest(job, channel); },
                             [&](const auto&) { return measure(job, channel); }},
                    job.work);
}

Result<void> Measurer::answer_selftest(const Job& job, const JobChannel& channel) {
  if (!counters_) {
    return failure(ErrorKind::environment, counters_capability_.reason, "counters",
                   counters_capability_.remedy);
  }
  const SelfTest test = selftest();
  channel.send(LogLine{test.passed ? "info" : "warning", test.sentence, job.job});
  return {};
}

SelfTest Measurer::selftest() {
  SelfTest test = run_counter_selftest(*device_, *kernels_, *counters_);
  static_cast<void>(counters_off());
  counters_capability_.reason = test.passed ? "" : "untrusted: " + test.sentence;
  return test;
}

Result<void> Measurer::roofs(const Job& job, const RoofsJob& asked, const JobChannel& channel) {
  const std::string name = roofs_name(
      conditions(), scene_roofs_id(built_in_scenes(), device_->limits(), kernels_->sources()));
  constexpr std::int64_t kMostBytes = 1 << 20;
  const Result<Cache> cache = Cache::open();
  if (const auto text =
          cache && !asked.fresh ? cache->read("roofs", name, kMostBytes) : std::nullopt) {
    Result<Message> kept = parse_line(std::string_view(*text).substr(0, text->find('\n')));
    const RoofSet* set = kept ? std::get_if<RoofSet>(&*kept) : nullptr;
    if (set != nullptr && holds_all(*set)) {
      channel.send(*set);
      return {};
    }
  }
  Result<RoofSet> set =
      measure_roofs(*device_, *kernels_, *timer_, counters_.get(), built_in_scenes(),
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
