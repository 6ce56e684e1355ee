// profiling/engine/measure/measurer.cpp: jobs on a device: check, time, count, capture.
#include "profiling/engine/measure/measurer.h"

#include <algorithm>

#include "profiling/engine/cuda/nvtx.h"
#include "profiling/engine/measure/roof_attempts.h"
#include "profiling/engine/measure/roofs.h"
#include "profiling/engine/measure/timeline_capture.h"
#include "profiling/engine/run/job_scene.h"
#include "profiling/session/overload.h"
#include "scenes/catalogue.h"
#include "scenes/host/cache.h"

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

Result<std::unique_ptr<Measurer>> Measurer::create(int ordinal, ProfilerUse use,
                                                   const Catalogue& catalogue) {
  Result<std::unique_ptr<MeasuringTools>> tools = MeasuringTools::create(ordinal, use);
  if (!tools) return tl::unexpected(tools.error());
  return std::unique_ptr<Measurer>(new Measurer(catalogue, std::move(*tools)));
}

Result<void> Measurer::run(const Job& job, const JobChannel& channel) {
  const auto* asked = job.as<MeasureJob>();
  const bool counts_alone =
      asked != nullptr && !asked->time && asked->counters != "none" && !asked->counters.empty();
  if (!counts_alone) static_cast<void>(tools_->counters_off());
  const Result<void> done = answer_job(job, channel);
  if (!done || channel.next(1).empty()) static_cast<void>(tools_->counters_off());
  return done;
}

std::optional<Measurer::Place> Measurer::place_of(const Job& job) {
  if (!job.is<MeasureJob>() && !job.is<VerifyJob>() && !job.is<TimelineJob>()) return std::nullopt;
  const Result<const Scene*> scene = scene_of_job(catalogue_, job);
  const Variant* variant = scene ? find_variant(**scene, job.variant) : nullptr;
  if (variant == nullptr) return std::nullopt;
  const Result<Configuration> axes = configured(**scene, job.variant, job.axes);
  if (!axes || !applies(*variant, *axes) || !(*scene)->admit(*axes)) return std::nullopt;
  tools_->kernels->use(sources_among(job.sources));
  return Place{*scene, variant, *axes};
}

bool Measurer::has_host_work(const Job& job) {
  const std::optional<Place> place = place_of(job);
  if (!place) return false;
  if (!stage_->holds(*place->scene, place->axes)) return true;
  const std::vector<Step> steps = place->variant->steps(stage_->workload());
  return std::any_of(steps.begin(), steps.end(), [&](const Step& step) {
    const auto* kernel = std::get_if<KernelLaunch>(&step.action);
    return kernel != nullptr && !tools_->kernels->is_loaded(*kernel);
  });
}

void Measurer::do_host_work(const Job& job, const JobChannel& channel) {
  const std::optional<Place> place = place_of(job);
  if (!place) return;
  channel.send(Progress{job.job, 0, "making the inputs"});
  channel.host_work(kHostWorkLimitS);
  const std::optional<Workload> workload = stage_->make_inputs(*place->scene, place->axes);
  if (!workload || unavailable(*place->variant, *workload, tools_->device->limits())) return;
  for (const Step& step : place->variant->steps(*workload)) {
    const auto* kernel = std::get_if<KernelLaunch>(&step.action);
    if (kernel == nullptr || channel.interrupted()) continue;
    channel.host_work(kHostWorkLimitS);
    static_cast<void>(tools_->kernels->compile_ahead(*kernel));
  }
}

Result<void> Measurer::answer_job(const Job& job, const JobChannel& channel) {
  tools_->kernels->use(sources_among(job.sources));
  const auto* measured = job.as<MeasureJob>();
  const bool samples = measured != nullptr && asks_for_samples(measured->counters);
  if (tools_->use == ProfilerUse::samples && (!samples || measured->time)) {
    return failure(ErrorKind::usage, "an engine with --samples takes samples and does nothing else",
                   "samples", "send the job to an engine without --samples");
  }
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
  if (!tools_->counters) {
    return failure(ErrorKind::environment, tools_->counters_capability.reason, "counters",
                   tools_->counters_capability.remedy);
  }
  const SelfTest test = tools_->selftest();
  channel.send(LogLine{test.passed ? "info" : "warning", test.sentence, job.job});
  return {};
}

Result<void> Measurer::roofs(const Job& job, const RoofsJob& asked, const JobChannel& channel) {
  const std::string name = roofs_name(
      tools_->conditions(),
      scene_roofs_id(built_in_scenes(), tools_->device->limits(), tools_->kernels->sources()));
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
      measure_roofs(*tools_->device, *tools_->kernels, *tools_->timer, tools_->counters.get(),
                    built_in_scenes(), [&](double ratio, const std::string& text) {
                      channel.send(Progress{job.job, ratio, text});
                      return !channel.interrupted();
                    });
  if (!set) return tl::unexpected(set.error());
  set->conditions = tools_->conditions();
  channel.send(*set);
  // Roofs that cannot be kept are measured again next time.
  if (cache) cache->write("roofs", name, to_line(*set) + "\n");
  return {};
}

Result<void> Measurer::capture(const Job& job, const JobChannel& channel, Stage::Bound& bound,
                               const Measurement& m) {
  if (tools_->hands_off) {
    return failure(ErrorKind::environment, "the engine runs with --hands-off and loads no CUPTI",
                   "timeline", "start it without --hands-off");
  }
  const int runs = bound.on_host() ? 1 : 3;
  if (Result<void> ready = stage_->restore_states(bound).and_then(
          [&] { return tools_->device->synchronise("restoring states"); });
      !ready) {
    return ready;
  }
  Result<Timeline> timeline = capture_timeline([&]() -> Result<void> {
    for (int i = 0; i < runs; ++i) {
      const NvtxRange whole(m.scene + "/" + m.variant + " run " + std::to_string(i + 1));
      if (bound.graph != nullptr) {
        const NvtxRange range("graph");
        if (Result<void> ran = bound.submit(tools_->device->stream()); !ran) return ran;
      }
      for (const BoundStep& step : bound.run) {
        if (bound.graph != nullptr) break;
        const NvtxRange range(step.step().name);
        if (Result<void> ran = step.run(tools_->device->stream()); !ran) return ran;
      }
      if (Result<void> idle = tools_->device->synchronise("run"); !idle) return idle;
    }
    return {};
  });
  if (!timeline) return tl::unexpected(timeline.error());
  note_origin(*timeline, job, m);
  channel.send(*timeline);
  return {};
}

}  // namespace warpscope
