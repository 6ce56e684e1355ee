// profiling/engine/measure/variant_counters.cpp: what a bound variant's run counts: each step, and
// each line.
#include "profiling/engine/measure/variant_counters.h"

#include <algorithm>

#include "profiling/engine/cuda/nvtx.h"
#include "profiling/engine/measure/variant_times.h"

namespace warpscope {
namespace {

constexpr const char* kOnStream = "counters of the same steps on a stream";

}  // namespace

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

Result<void> VariantCounters::count(const Job& job, const MeasureJob& asked,
                                    const JobChannel& channel, Stage::Bound& bound,
                                    Measurement& m) {
  Result<std::vector<std::string>> ids = parse_counters(asked.counters);
  if (!ids) return tl::unexpected(ids.error());
  if (ids->empty()) return {};
  const auto explain = [&](const std::string& reason, const std::string& remedy) {
    for (const std::string& id : *ids) {
      if (!value_of(m.metrics, id))
        set_value(m.metrics, {id, std::nullopt, Origin::measured, reason, remedy});
    }
  };
  if (!tools_.counters) {
    explain(tools_.counters_capability.reason, tools_.counters_capability.remedy);
    return {};
  }
  Result<CounterPlan> plan = tools_.counters->plan(*ids);
  if (!plan) {
    explain(plan.error().what, plan.error().remedy);
    return tl::unexpected(plan.error());
  }
  if (std::all_of(bound.run.begin(), bound.run.end(),
                  [](const BoundStep& step) { return step.is_on_host(); })) {
    explain("it runs on the host, which GPU counters do not cover", "");
    return {};
  }
  m.cold_counters = asked.cold_counters;
  // Counters are of a warm run, also in the first pass: what ran before it was the check.
  Result<void> counted = bound.submit(tools_.device->stream()).and_then([&] {
    return tools_.device->synchronise("run");
  });
  if (counted && bound.graph != nullptr) {
    counted = count_graph(channel, job, asked, *plan, bound, m);
  } else if (counted) {
    m.counter_passes = plan->passes;
    counted = count_steps(channel, job, asked, *plan, bound, "counters " + asked.counters + ": ")
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

Result<void> VariantCounters::count_lines(const Job& job, const MeasureJob& asked,
                                          const JobChannel& channel, Stage::Bound& bound,
                                          Measurement& m) {
  if (!asks_for_lines(asked.counters)) return {};
  if (Result<void> off = tools_.counters_off(); !off) return off;
  std::optional<Error> kept_from;  // why no step from here on has lines
  if (!tools_.sass_counters) {
    kept_from = Error{ErrorKind::environment, tools_.sass_capability.reason,
                      "counters by source line", tools_.sass_capability.remedy};
  }
  for (std::size_t at = 0; at < bound.run.size(); ++at) {
    const BoundStep& step = bound.run[at];
    StepRecord* record = record_named(m, step.step().name);
    const auto explain = [&](const std::string& reason, const std::string& remedy) {
      record->lines = {};
      record->lines.missing = {
          {std::string(kLineCounterSet), std::nullopt, Origin::measured, reason, remedy}};
    };
    if (step.is_library()) explain("the kernels of a library come without source", "");
    const auto* launch = std::get_if<KernelLaunch>(&step.step().action);
    if (launch == nullptr) continue;
    if (!kept_from) {
      SassCounters::Runs runs;
      runs.run = [&] {
        return step.run(tools_.device->stream()).and_then([&] {
          return tools_.device->synchronise(step.step().name);
        });
      };
      // A step that adds to what is there must find what it finds in a whole run.
      runs.before = [&]() -> Result<void> {
        return run_before(stage_, bound, at, tools_.device->stream()).and_then([&] {
          return tools_.device->synchronise("run");
        });
      };
      runs.go_on = [&](int pass, int of) {
        const auto steps = static_cast<double>(bound.run.size());
        channel.send(Progress{job.job,
                              (static_cast<double>(at) + static_cast<double>(pass) / of) / steps,
                              "counters by source line: " + step.step().name + ", pass " +
                                  std::to_string(pass + 1) + " of " + std::to_string(of)});
        return !channel.interrupted();
      };
      Result<LineCounters> lines =
          tools_.sass_counters->collect(step.kernel(), launch->source, step.kernel().symbol, runs);
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
  if (kept_from && tools_.sass_counters) return tl::unexpected(*kept_from);
  return {};
}

Result<void> VariantCounters::before_pass(const MeasureJob& asked, const Stage::Bound& bound) {
  Result<void> ready = stage_.restore_states(bound);
  if (ready && asked.cold_counters) ready = tools_.timer->flush_l2();
  return ready.and_then([&] { return tools_.device->synchronise("before a pass"); });
}

Result<std::vector<RangeCounters>> VariantCounters::count_steps(
    const JobChannel& channel, const Job& job, const MeasureJob& asked, const CounterPlan& plan,
    const Stage::Bound& bound, const std::string& announced) {
  const auto pass = [&](RangeMarks& marks) -> Result<void> {
    if (Result<void> ready = before_pass(asked, bound); !ready) return ready;
    for (const BoundStep& step : bound.run) {
      const std::string& name = step.step().name;
      const NvtxRange range(job.scene + "/" + job.variant + "/" + name);
      const auto run = [&] {
        return step.run(tools_.device->stream()).and_then([&] {
          return tools_.device->synchronise(name);
        });
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
  return tools_.counters->collect(plan, static_cast<int>(ranges), pass, [&](int at, int of) {
    channel.send(
        Progress{job.job, static_cast<double>(at) / std::max(1, of),
                 announced + "pass " + std::to_string(at + 1) + " of " + std::to_string(of)});
    return !channel.interrupted();
  });
}

Result<void> VariantCounters::count_graph(const JobChannel& channel, const Job& job,
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
        .and_then([&] { return bound.submit(tools_.device->stream()); })
        .and_then([&] { return tools_.device->synchronise("graph"); })
        .and_then([&] { return marks.pop(); });
  };
  const Result<std::vector<RangeCounters>> whole =
      tools_.counters->collect(plan, 1, pass, [&](int at, int of) {
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
  const Result<GraphRecords> records = look_at_graph(tools_, stage_, bound);
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

}  // namespace warpscope
