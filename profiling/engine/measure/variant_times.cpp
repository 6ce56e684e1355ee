// profiling/engine/measure/variant_times.cpp: times of a run and of its steps: on a stream, in a
// graph, on the host.
#include "profiling/engine/measure/variant_times.h"

#include <algorithm>

#include "profiling/engine/cuda/nvtx.h"
#include "profiling/engine/measure/graph_times.h"
#include "profiling/engine/measure/timeline_capture.h"
#include "profiling/points/derive.h"

namespace warpscope {

StepRecord* record_named(Measurement& m, const std::string& name) {
  for (StepRecord& step : m.steps) {
    if (step.name == name) return &step;
  }
  return nullptr;
}

Result<GraphRecords> look_at_graph(MeasuringTools& tools, Stage& stage, const Stage::Bound& bound) {
  if (tools.hands_off) {
    return failure(ErrorKind::environment, "the engine runs with --hands-off and loads no CUPTI",
                   "graph", "start it without --hands-off");
  }
  if (Result<void> off = tools.counters_off(); !off) return tl::unexpected(off.error());
  constexpr int kReplays = 5;
  const auto idle = [&] { return tools.device->synchronise("graph"); };
  if (Result<void> ready = stage.restore_states(bound).and_then(idle); !ready)
    return tl::unexpected(ready.error());
  const Result<Timeline> seen = capture_timeline([&]() -> Result<void> {
    Result<void> ran = bound.run_steps(tools.device->stream()).and_then(idle);
    if (!ran) return ran;
    // Captured anew: CUPTI may not see the nodes of a graph that was made before it looked.
    const Result<std::unique_ptr<CapturedGraph>> graph =
        CapturedGraph::capture(*tools.device, bound.run);
    if (!graph) return tl::unexpected(graph.error());
    for (int i = 0; i < kReplays && ran; ++i)
      ran = (*graph)->launch(tools.device->stream()).and_then(idle);
    return ran;
  });
  if (!seen) return tl::unexpected(seen.error());
  std::vector<TimelineActivity> on_stream, replayed;
  for (const TimelineActivity& activity : seen->activities)
    (activity.graph_node == 0 ? on_stream : replayed).push_back(activity);
  sort_by_start(on_stream);
  if (bound.graph->has_branches()) {
    replayed = in_order_of(on_stream, std::move(replayed), kReplays);
  } else {
    sort_by_start(replayed);
  }
  Result<std::vector<double>> times = step_times(replayed, bound.graph->nodes(), kReplays);
  if (!times) return tl::unexpected(times.error());
  replayed.resize(replayed.size() / kReplays);
  return GraphRecords{std::move(*times), launches_differ(on_stream, replayed)};
}

Result<void> VariantTimes::time(const Job& job, const MeasureJob& asked, const JobChannel& channel,
                                Stage::Bound& bound, Measurement& m) {
  if (bound.on_host()) return time_on_host(job, channel, bound, m);
  const Timer::Run run = [&](CUstream stream) { return bound.submit(stream); };
  const Timer::Before restore = [&] { return stage_.restore_states(bound); };
  StoppingLimits limits;
  limits.time_limit_s = job.time_limit_s;
  const auto partial = [&] {
    Measurement early = m;
    early.partial = true;
    derive_metrics(early);
    channel.send(early);
  };
  if (asked.live) {
    StoppingLimits first = limits;
    first.minimum_total_ns = 0;
    first.maximum_samples = first.minimum_samples;
    Result<Timing> quick =
        tools_.timer->sample(CacheState::warm, run, first, channel.interrupted, restore);
    if (!quick) return tl::unexpected(quick.error());
    m.warm = std::move(*quick);
    m.warm->stop_reason = "first samples";
    partial();
    if (channel.interrupted()) return {};
  }
  Result<Timing> cold =
      tools_.timer->sample(CacheState::cold, run, limits, channel.interrupted, restore);
  if (!cold) return tl::unexpected(cold.error());
  m.cold = std::move(*cold);
  if (channel.interrupted()) return {};
  Result<Timing> warm =
      tools_.timer->sample(CacheState::warm, run, limits, channel.interrupted, restore);
  if (!warm) return tl::unexpected(warm.error());
  m.warm = std::move(*warm);
  constexpr double kShortNs = 5000;  // kernels this short no longer hide their launches
  const bool kernels_only = std::none_of(bound.run.begin(), bound.run.end(),
                                         [](const auto& s) { return s.is_library(); });
  if (m.warm->median_ns < kShortNs && kernels_only && !asked.live && bound.graph == nullptr) {
    if (Result<Timing> graph =
            tools_.timer->sample_graph(run, limits, channel.interrupted, restore)) {
      set_value(m.metrics, {"time.graph", graph->median_ns, Origin::measured, "", ""});
    }
  }
  return asked.live ? Result<void>{} : time_steps(channel, bound, m);
}

Result<void> VariantTimes::time_on_host(const Job& job, const JobChannel& channel,
                                        Stage::Bound& bound, Measurement& m) {
  StoppingLimits limits;
  limits.time_limit_s = job.time_limit_s;
  limits.minimum_samples = 3;
  const Variant* variant = find_variant(stage_.scene(), m.variant);
  if (variant != nullptr && variant->measured_once)
    limits.minimum_samples = limits.maximum_samples = 1;
  // A run on the host cannot report life.
  const Timer::Before before = [&] {
    channel.host_work(kHostWorkLimitS);
    return stage_.restore_states(bound);
  };
  Result<Timing> timing =
      tools_.timer->sample_on_host([&](CUstream stream) { return bound.run_steps(stream); }, limits,
                                   channel.interrupted, before);
  if (!timing) return tl::unexpected(timing.error());
  m.warm = std::move(*timing);
  set_value(
      m.metrics,
      {"time.cold", std::nullopt, Origin::measured,
       "a run on the host is timed by the host's clock, and the processor's caches are not flushed",
       "compare warm times"});
  if (Result<void> ready = before(); !ready) return ready;
  for (const BoundStep& step : bound.run) {
    StepRecord* record = record_named(m, step.step().name);
    record->how = step.is_on_host() ? "timed by the host's clock; GPU counters do not cover it"
                                    : "timed by the host's clock, including the launch";
    if (bound.run.size() == 1) {
      record->time_ns = m.warm->median_ns;
      break;
    }
    const NvtxRange range(m.scene + "/" + m.variant + "/" + step.step().name);
    channel.host_work(kHostWorkLimitS);
    const Result<double> ns =
        tools_.timer->once_on_host_ns([&](CUstream stream) { return step.run(stream); });
    if (!ns) return tl::unexpected(ns.error());
    record->time_ns = *ns;
  }
  return {};
}

namespace {

// Whether the run clears memory of its own. A later step then finds other memory if it runs again
// alone: a counter that it has moved, places that are taken.
bool clears_scratch(const Stage& stage, const std::string& name, const Stage::Bound& bound) {
  const Variant* variant = find_variant(stage.scene(), name);
  if (variant == nullptr || !variant->scratch) return false;
  const std::vector<BufferSpec> scratch = variant->scratch(stage.workload());
  return std::any_of(bound.run.begin(), bound.run.end(), [&](const BoundStep& step) {
    const auto* cleared = std::get_if<Memset>(&step.step().action);
    return cleared != nullptr &&
           std::any_of(scratch.begin(), scratch.end(),
                       [&](const BufferSpec& b) { return b.name == cleared->buffer; });
  });
}

}  // namespace

// Each sample is one run of the step, after the steps before it.
Result<void> VariantTimes::time_steps_in_order(const JobChannel& channel, Stage::Bound& bound,
                                               const StoppingLimits& limits, Measurement& m) {
  for (std::size_t at = 0; at < bound.run.size(); ++at) {
    const BoundStep& step = bound.run[at];
    const Result<Timing> alone = tools_.timer->sample_one_by_one(
        [&](CUstream stream) { return step.run(stream); }, limits, channel.interrupted,
        [&] { return run_before(stage_, bound, at, tools_.device->stream()); });
    if (!alone) return tl::unexpected(alone.error());
    StepRecord* record = record_named(m, step.step().name);
    record->time_ns = alone->median_ns;
    record->how = "one run per sample, after the steps before it";
  }
  return {};
}

Result<void> VariantTimes::time_steps(const JobChannel& channel, Stage::Bound& bound,
                                      Measurement& m) {
  std::string how;
  if (bound.graph != nullptr) {
    const Result<GraphRecords> records = look_at_graph(tools_, stage_, bound);
    if (records) {
      for (std::size_t i = 0; i < bound.run.size(); ++i) {
        StepRecord* record = record_named(m, bound.run[i].step().name);
        record->time_ns = records->step_ns[i];
        record->how = "time from activity records of the graph's nodes";
        if (bound.run[i].step().aside) record->how += ", in its second branch";
      }
      return {};
    }
    if (records.error().kind == ErrorKind::fault) return tl::unexpected(records.error());
    how = "timed alone on a stream: " + records.error().what;
  } else if (bound.run.size() == 1) {
    record_named(m, bound.run.front().step().name)->time_ns = m.warm->median_ns;
    return {};
  }
  StoppingLimits limits;
  limits.minimum_total_ns = 5e6;
  limits.time_limit_s = 0.5;
  if (clears_scratch(stage_, m.variant, bound))
    return time_steps_in_order(channel, bound, limits, m);
  for (const BoundStep& step : bound.run) {
    StepRecord* record = record_named(m, step.step().name);
    Result<Timing> alone = tools_.timer->sample(
        CacheState::warm, [&](CUstream stream) { return step.run(stream); }, limits,
        channel.interrupted, [&] { return stage_.restore_states(bound); });
    if (!alone) return tl::unexpected(alone.error());
    record->time_ns = alone->median_ns;
    record->how = how;
  }
  return {};
}

}  // namespace warpscope
