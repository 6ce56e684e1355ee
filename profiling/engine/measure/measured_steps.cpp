// profiling/engine/measure/measured_steps.cpp: times and counters of the steps of a run: on a
// stream, in a graph, on the host.
#include "profiling/engine/measure/measured_steps.h"

#include <algorithm>

#include "profiling/engine/cuda/nvtx.h"
#include "profiling/engine/measure/graph_times.h"
#include "profiling/engine/measure/measurer.h"
#include "profiling/engine/measure/timeline_capture.h"
#include "profiling/points/run_outcomes.h"

namespace warpscope {
namespace {

constexpr const char* kOnStream = "counters of the same steps on a stream";

}  // namespace

StepRecord* record_named(Measurement& m, const std::string& name) {
  for (StepRecord& step : m.steps) {
    if (step.name == name) return &step;
  }
  return nullptr;
}

void put_step_counters(const std::vector<RangeCounters>& ranges, Measurement& m) {
  for (const RangeCounters& range : ranges) {
    StepRecord* record = record_named(m, range.range);
    if (record == nullptr) continue;
    for (const MetricValue& value : range.values) set_value(record->metrics, value);
  }
}

void add_run_counters(const std::vector<RangeCounters>& ranges, Measurement& m) {
  for (const RangeCounters& range : ranges) {
    for (const MetricValue& value : range.values) {
      const Metric* metric = find_metric(value.id);
      const bool sums = metric != nullptr && metric->cupti_name.ends_with(".sum");
      if (ranges.size() == 1) {
        set_value(m.metrics, value);
      } else if (!sums) {
        const bool largest = metric != nullptr && metric->cupti_name.ends_with(".max");
        set_value(m.metrics, {value.id, std::nullopt, Origin::measured,
                              largest ? "the largest of one step's units has no sum over steps"
                                      : "a ratio of one step has no sum over steps",
                              "see it at each step"});
      } else {
        MetricValue sum = value;
        if (const auto before = value_of(m.metrics, value.id);
            before && value.value && &range != &ranges.front()) {
          sum.value = *before + *value.value;
        }
        set_value(m.metrics, std::move(sum));
      }
    }
  }
}

Result<void> Measurer::time_on_host(const Job& job, const JobChannel& channel, Stage::Bound& bound,
                                    Measurement& m) {
  StoppingLimits limits;
  limits.time_limit_s = job.time_limit_s;
  limits.minimum_samples = 3;
  const Variant* variant = find_variant(stage_->scene(), m.variant);
  if (variant != nullptr && variant->measured_once)
    limits.minimum_samples = limits.maximum_samples = 1;
  // A run on the host cannot report life.
  const Timer::Before before = [&] {
    channel.host_work(kHostWorkLimitS);
    return stage_->restore_states(bound);
  };
  Result<Timing> timing =
      timer_->sample_on_host([&](CUstream stream) { return bound.run_steps(stream); }, limits,
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
        timer_->once_on_host_ns([&](CUstream stream) { return step.run(stream); });
    if (!ns) return tl::unexpected(ns.error());
    record->time_ns = *ns;
  }
  return {};
}

Result<void> Measurer::time_steps(const JobChannel& channel, Stage::Bound& bound, Measurement& m) {
  std::string how;
  if (bound.graph != nullptr) {
    const Result<GraphRecords> records = look_at_graph(bound);
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
  for (const BoundStep& step : bound.run) {
    StepRecord* record = record_named(m, step.step().name);
    Result<Timing> alone = timer_->sample(
        CacheState::warm, [&](CUstream stream) { return step.run(stream); }, limits,
        channel.interrupted, [&] { return stage_->restore_states(bound); });
    if (!alone) return tl::unexpected(alone.error());
    record->time_ns = alone->median_ns;
    record->how = how;
  }
  return {};
}

Result<Measurer::GraphRecords> Measurer::look_at_graph(const Stage::Bound& bound) {
  if (hands_off_) {
    return failure(ErrorKind::environment, "the engine runs with --hands-off and loads no CUPTI",
                   "graph", "start it without --hands-off");
  }
  if (Result<void> off = counters_off(); !off) return tl::unexpected(off.error());
  constexpr int kReplays = 5;
  const auto idle = [&] { return device_->synchronise("graph"); };
  if (Result<void> ready = stage_->restore_states(bound).and_then(idle); !ready)
    return tl::unexpected(ready.error());
  const Result<Timeline> seen = capture_timeline([&]() -> Result<void> {
    Result<void> ran = bound.run_steps(device_->stream()).and_then(idle);
    if (!ran) return ran;
    // Captured anew: CUPTI may not see the nodes of a graph that was made before it looked.
    const Result<std::unique_ptr<CapturedGraph>> graph =
        CapturedGraph::capture(*device_, bound.run);
    if (!graph) return tl::unexpected(graph.error());
    for (int i = 0; i < kReplays && ran; ++i)
      ran = (*graph)->launch(device_->stream()).and_then(idle);
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

Result<void> Measurer::before_pass(const MeasureJob& asked, const Stage::Bound& bound) {
  Result<void> ready = stage_->restore_states(bound);
  if (ready && asked.cold_counters) ready = timer_->flush_l2();
  return ready.and_then([&] { return device_->synchronise("before a pass"); });
}

Result<std::vector<RangeCounters>> Measurer::count_steps(const JobChannel& channel, const Job& job,
                                                         const MeasureJob& asked,
                                                         const CounterPlan& plan,
                                                         const Stage::Bound& bound,
                                                         const std::string& announced) {
  const auto pass = [&](RangeMarks& marks) -> Result<void> {
    if (Result<void> ready = before_pass(asked, bound); !ready) return ready;
    for (const BoundStep& step : bound.run) {
      const std::string& name = step.step().name;
      const NvtxRange range(job.scene + "/" + job.variant + "/" + name);
      const auto run = [&] {
        return step.run(device_->stream()).and_then([&] { return device_->synchronise(name); });
      };
      if (step.is_on_host()) channel.host_work(kHostWorkLimitS);
      const Result<void> done =
          step.is_on_host() ? run()
                            : marks.push(name).and_then(run).and_then([&] { return marks.pop(); });
      if (!done) return done;
    }
    return {};
  };
  const auto ranges = std::count_if(bound.run.begin(), bound.run.end(),
                                    [](const BoundStep& step) { return !step.is_on_host(); });
  return counters_->collect(plan, static_cast<int>(ranges), pass, [&](int at, int of) {
    channel.send(
        Progress{job.job, static_cast<double>(at) / std::max(1, of),
                 announced + "pass " + std::to_string(at + 1) + " of " + std::to_string(of)});
    return !channel.interrupted();
  });
}

Result<void> Measurer::count_graph(const JobChannel& channel, const Job& job,
                                   const MeasureJob& asked, const CounterPlan& plan,
                                   const Stage::Bound& bound, Measurement& m) {
  m.counter_passes = 2 * plan.passes;
  const std::string announced = "counters " + asked.counters + ": ";
  channel.send(Progress{job.job, 0,
                        announced + std::to_string(plan.passes) +
                            " passes of the graph and as "
                            "many of its steps on a stream"});
  const auto pass = [&](RangeMarks& marks) -> Result<void> {
    return before_pass(asked, bound)
        .and_then([&] { return marks.push("graph"); })
        .and_then([&] { return bound.submit(device_->stream()); })
        .and_then([&] { return device_->synchronise("graph"); })
        .and_then([&] { return marks.pop(); });
  };
  const Result<std::vector<RangeCounters>> whole =
      counters_->collect(plan, 1, pass, [&](int at, int of) {
        channel.send(Progress{
            job.job, static_cast<double>(at) / std::max(1, 2 * of),
            announced + "graph, pass " + std::to_string(at + 1) + " of " + std::to_string(of)});
        return !channel.interrupted();
      });
  if (!whole && (whole.error().kind == ErrorKind::fault || whole.error().what == "cancelled"))
    return tl::unexpected(whole.error());
  const Result<std::vector<RangeCounters>> steps =
      count_steps(channel, job, asked, plan, bound, announced + "steps on a stream, ");
  if (!steps) return tl::unexpected(steps.error());
  // What a step counts on a stream is the graph's where both launch the same kernels.
  const Result<GraphRecords> records = look_at_graph(bound);
  if (!records && records.error().kind == ErrorKind::fault) return tl::unexpected(records.error());
  const std::optional<std::string> differs = records ? records->differs : std::nullopt;
  std::string how = kOnStream;
  if (differs) {
    how = "no counters: " + *differs;
    channel.send(LogLine{"warning", "the graph differs from its steps: " + *differs, job.job});
  } else if (!records) {
    how += ", not compared with the graph's launches: " + records.error().what;
  }
  if (!differs) put_step_counters(*steps, m);
  for (const BoundStep& step : bound.run) {
    StepRecord* record = record_named(m, step.step().name);
    record->how += (record->how.empty() ? "" : "; ") + how;
  }
  if (whole) {
    add_run_counters(*whole, m);
  } else if (!differs) {
    add_run_counters(*steps, m);
    channel.send(LogLine{"warning",
                         "the graph was not counted in one range (" + whole.error().what +
                             "): its counters are sums of its steps on a stream",
                         job.job});
  }
  return {};
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
